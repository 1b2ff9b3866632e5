#include "cli/simulator/directive.hpp"

#include "common/config/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace evalfleet::simulator {

namespace {

constexpr std::string_view kJudge = "judge_";
constexpr std::string_view kSeparators = " ,\t\r\n";

struct Setting {
    std::string_view key;
    std::string value;
};

/// The value that `text` begins with, in quotes or up to a separator; takes it off.
std::string take_value(std::string_view& text) {
    std::string value;
    if (!text.starts_with('"')) {
        const auto end = std::min(text.find_first_of(kSeparators), text.size());
        value = text.substr(0, end);
        text.remove_prefix(end);
        return value;
    }
    text.remove_prefix(1);
    while (!text.empty() && text[0] != '"') {
        if (text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
        value += text[0];
        text.remove_prefix(1);
    }
    if (!text.empty()) text.remove_prefix(1);
    return value;
}

/// The next `key=value`; nothing at the end.
std::optional<Setting> take_setting(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) return std::nullopt;
    const auto end = std::min(text.find_first_of("= ,\t\r\n"), text.size());
    Setting setting{text.substr(0, end), ""};
    text.remove_prefix(end);
    if (text.starts_with('=')) {
        text.remove_prefix(1);
        setting.value = take_value(text);
    }
    return setting;
}

Error refuse(const Setting& setting, std::string_view allowed) {
    return {ErrorKind::invalid, fmt::format("x-simulate: {}: found '{}', allowed: {}", setting.key,
                                            setting.value, allowed)};
}

Status read_number(const Setting& setting, std::uint64_t min, std::uint64_t max, auto store) {
    const auto number = config::parse_uint64(setting.value);
    if (!number || *number < min || *number > max) {
        return refuse(setting, fmt::format("{} to {}", min, max));
    }
    store(*number);
    return {};
}

Status read_fault(const Setting& setting, Fault& fault) {
    constexpr std::array<std::pair<std::string_view, Fault>, 18> kFaults{
        {{"hang", Fault::hang},
         {"reset", Fault::reset},
         {"close", Fault::close},
         {"malformed", Fault::malformed},
         {"empty", Fault::empty},
         {"truncate", Fault::truncate},
         {"cut", Fault::cut},
         {"stall", Fault::stall},
         {"mid_error", Fault::mid_error},
         {"drip", Fault::drip},
         {"oversized", Fault::oversized},
         {"gzip", Fault::gzip},
         {"refusal", Fault::refusal},
         {"content_filter", Fault::content_filter},
         {"prompt_filter", Fault::prompt_filter},
         {"no_done", Fault::no_done},
         {"surrogates", Fault::surrogates},
         {"blank_error", Fault::blank_error}}};
    std::string allowed;
    for (const auto& [name, value] : kFaults) {
        if (setting.value == name) return fault = value, Status{};
        allowed.append(allowed.empty() ? "" : ", ").append(name);
    }
    return refuse(setting, allowed);
}

/// A setting of one call; false if `key` is none.
Result<bool> read_call(std::string_view key, const Setting& setting, Directive::Call& call) {
    constexpr std::uint64_t kHour = 3600;
    Status read;
    if (key == "status") {
        read = read_number(setting, 200, 599,
                           [&](auto number) { call.status = static_cast<int>(number); });
    } else if (key == "fault") {
        read = read_fault(setting, call.fault);
    } else if (key == "times") {
        read = read_number(setting, 0, 1'000'000, [&](auto number) { call.times = number; });
    } else if (key == "retry_after") {
        read = read_number(setting, 0, kHour,
                           [&](auto number) { call.retry_after = std::chrono::seconds(number); });
    } else if (key == "delay_ms") {
        read = read_number(setting, 0, kHour * 1000,
                           [&](auto number) { call.delay = std::chrono::milliseconds(number); });
    } else if (key == "reasoning") {
        constexpr std::uint64_t kMaxTokens = 100'000'000;
        read = read_number(setting, 0, kMaxTokens,
                           [&](auto number) { call.reasoning_tokens = number; });
    } else if (key == "code") {
        call.error_code = setting.value;
    } else {
        return false;
    }
    if (!read) return read.error();
    return true;
}

/// A setting that is a number and holds for the model's answer; nothing if it is none.
std::optional<Status> read_figure(const Setting& setting, Directive& directive) {
    constexpr std::uint64_t kMaxTokens = 100'000'000;
    constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
    const auto read = [&setting](std::uint64_t min, std::uint64_t max, auto& field) {
        return read_number(setting, min, max, [&field](std::uint64_t number) {
            field = std::remove_cvref_t<decltype(field)>(number);
        });
    };
    if (setting.key == "context") return read(0, kMaxTokens, directive.context_tokens);
    if (setting.key == "cached") return read(0, kMaxTokens, directive.cached_tokens);
    if (setting.key == "cache_write") return read(0, kMaxTokens, directive.cache_write_tokens);
    if (setting.key == "drip_ms") return read(0, 3'600'000, directive.drip);
    if (setting.key == "bytes") return read(1, kMaxBytes, directive.oversized_bytes);
    return std::nullopt;
}

Status read_setting(const Setting& setting, Directive& directive) {
    if (setting.key == "answer") return directive.answer = setting.value, Status{};
    if (setting.key == "finish") return directive.finish_reason = setting.value, Status{};
    if (setting.key == "judge") return directive.verdict = setting.value, Status{};
    if (setting.key == "usage") {
        if (setting.value != "none" && setting.value != "apart")
            return refuse(setting, "none, apart");
        directive.has_usage = setting.value != "none";
        directive.counts_reasoning_apart = setting.value == "apart";
        return {};
    }
    if (const auto known = read_figure(setting, directive)) return *known;
    const bool is_judge = setting.key.starts_with(kJudge);
    const std::string_view key = is_judge ? setting.key.substr(kJudge.size()) : setting.key;
    const auto known = read_call(key, setting, is_judge ? directive.judge : directive.model);
    if (!known) return known.error();
    if (*known) return {};
    return Error{
        ErrorKind::invalid,
        fmt::format("x-simulate: unknown key '{}'; allowed: status, fault, times, "
                    "retry_after, delay_ms, code, reasoning, each also with judge_ before it, "
                    "answer, finish, usage, cached, cache_write, drip_ms, bytes, judge",
                    setting.key)};
}

}  // namespace

Result<Directive> parse_directive(std::string_view text) {
    Directive directive;
    while (const auto setting = take_setting(text)) {
        if (Status read = read_setting(*setting, directive); !read) return read.error();
    }
    return directive;
}

std::optional<std::string_view> find_directive(std::string_view text) {
    constexpr std::string_view kOpen = "[[simulate ";
    const auto begin = text.find(kOpen);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(begin + kOpen.size());
    const auto end = rest.find("]]");
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
}

}  // namespace evalfleet::simulator
