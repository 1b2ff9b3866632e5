#include "worker/providers/wire_text.hpp"

#include "common/http/retry_policy.hpp"
#include "common/json/escape.hpp"
#include "common/json/number.hpp"
#include "worker/providers/half_characters.hpp"

#include <algorithm>
#include <charconv>

namespace evalfleet::worker {

namespace {

constexpr std::size_t kMaxShortText = 200;
constexpr std::size_t kMaxMessageBytes = 2048;
constexpr double kDayMs = 24.0 * 3600 * 1000;

std::optional<double> parse_milliseconds(std::string_view text) {
    text = http::trim(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (!(value >= 0 && value <= kDayMs)) return std::nullopt;
    return value;
}

/// The value of `dur` in one metric: `proxy;desc="x";dur=12.5`.
std::optional<double> duration_of(std::string_view metric) {
    while (!metric.empty()) {
        const std::size_t end = std::min(metric.find(';'), metric.size());
        const std::string_view part = http::trim(metric.substr(0, end));
        if (part.size() > 4 && http::iequals(part.substr(0, 4), "dur=")) {
            return parse_milliseconds(part.substr(4));
        }
        metric.remove_prefix(std::min(end + 1, metric.size()));
    }
    return std::nullopt;
}

}  // namespace

Result<json::Document> parse_body(std::string_view body) {
    constexpr json::Limits kLimits{.reject_duplicate_keys = false};
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
    auto document = json::Document::parse(body, kLimits);
    if (document) return document;
    const auto mended = mend_halves(body, HalfPair::replace);
    return mended ? json::Document::parse(*mended, kLimits) : std::move(document);
}

std::optional<std::string> find_text(std::optional<json::Value> value) {
    if (!value) return std::nullopt;
    if (const auto text = value->as_string()) return std::string(*text);
    if (const auto number = value->as_int64()) return std::to_string(*number);
    if (const auto real = value->as_double()) return json::format_double(*real);
    if (const auto flag = value->as_bool()) return *flag ? "true" : "false";
    return std::nullopt;
}

std::optional<std::string> find_word(std::optional<json::Value> value) {
    auto word = find_text(value);
    return word && !word->empty() ? word : std::nullopt;
}

std::optional<std::int64_t> find_count(std::optional<json::Value> value) {
    constexpr std::int64_t kMax = std::int64_t{1} << 53;
    if (!value) return std::nullopt;
    const auto count = value->as_int64(0, kMax);
    return count ? std::optional(*count) : std::nullopt;
}

std::optional<double> find_duration(std::optional<json::Value> value) {
    if (!value) return std::nullopt;
    const auto number = value->as_double();
    if (!number || !(*number >= 0 && *number <= kDayMs)) return std::nullopt;
    return *number;
}

std::optional<std::string> short_header(const http::Headers& headers, std::string_view name) {
    const auto value = headers.find(name);
    if (!value || value->empty()) return std::nullopt;
    return std::string(value->substr(0, kMaxShortText));
}

std::optional<double> find_milliseconds(const http::Headers& headers, std::string_view name) {
    const auto value = headers.find(name);
    return value ? parse_milliseconds(*value) : std::nullopt;
}

std::optional<double> find_server_timing(const http::Headers& headers) {
    std::optional<double> longest;
    for (const auto& [name, value] : headers) {
        if (!http::iequals(name, "server-timing")) continue;
        for (std::string_view metrics = value; !metrics.empty();) {
            const std::size_t end = std::min(metrics.find(','), metrics.size());
            if (const auto duration = duration_of(metrics.substr(0, end))) {
                longest = std::max(longest.value_or(0), *duration);
            }
            metrics.remove_prefix(std::min(end + 1, metrics.size()));
        }
    }
    return longest;
}

std::optional<std::chrono::milliseconds> find_retry_after(
    const http::Headers& headers, std::chrono::system_clock::time_point now) {
    if (const auto exact = find_milliseconds(headers, "retry-after-ms")) {
        return std::chrono::ceil<std::chrono::milliseconds>(
            std::chrono::duration<double, std::milli>(*exact));
    }
    const auto value = headers.find("retry-after");
    return value ? http::parse_retry_after(*value, now) : std::nullopt;
}

std::optional<bool> find_should_retry(const http::Headers& headers) {
    const auto value = headers.find("x-should-retry");
    if (!value) return std::nullopt;
    if (http::iequals(http::trim(*value), "true")) return true;
    if (http::iequals(http::trim(*value), "false")) return false;
    return std::nullopt;
}

std::string shorten(std::string_view text) {
    std::string out;
    out.reserve(std::min(text.size(), kMaxMessageBytes));
    while (!text.empty()) {
        const std::size_t length = json::utf8_sequence_length(text);
        const std::size_t step = std::max<std::size_t>(length, 1);
        if (out.size() + step > kMaxMessageBytes) break;
        if (length == 0) {
            out += '?';
        } else {
            out.append(text.substr(0, length));
        }
        text.remove_prefix(step);
    }
    return out;
}

}  // namespace evalfleet::worker
