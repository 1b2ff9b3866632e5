#include "common/log/line.hpp"

#include "common/json/escape.hpp"
#include "common/json/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::log {
namespace {

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    json::append_escaped(out, text);
    out += '"';
}

/// In text lines a plain word needs no quotes; anything else gets them, so that a value can neither
/// break the line nor imitate another field.
bool is_plain_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '=' && c != '\\' &&
               c != 0x7F;
    });
}

std::string number(double value) {
    if (std::isnan(value)) return "\"nan\"";
    if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
    return json::format_double(value);
}

bool names_endpoint(std::string_view field) {
    constexpr std::string_view kNames[] = {"address", "host", "peer", "redis", "url"};
    return std::find(std::begin(kNames), std::end(kNames), field) != std::end(kNames);
}

constexpr std::string_view kPaddedLevels[] = {"TRACE", "DEBUG", "INFO ", "WARN ", "ERROR", "OFF  "};

}  // namespace

std::string format_utc(std::chrono::system_clock::time_point time) {
    using namespace std::chrono;
    const auto millis = floor<milliseconds>(time);
    const auto day = floor<days>(millis);
    const year_month_day date{day};
    const hh_mm_ss clock{millis - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::string LineFormatter::clean(const Field& field, std::string_view text) const {
    if (field.is_plain()) return std::string(text);
    const auto& redactor = names_endpoint(field.name()) ? endpoint_redactor_ : redactor_;
    return redactor.redact(text).text;
}

void LineFormatter::append_field(std::string& out, const Field& field) const {
    if (format_ == Format::json) {
        out += ',';
        append_quoted(out, field.name());
        out += ':';
    } else {
        out += ' ';
        out += field.name();
        out += '=';
    }
    if (const auto* text = std::get_if<std::string_view>(&field.value())) {
        const std::string shown = clean(field, *text);
        if (format_ == Format::text && is_plain_word(shown)) {
            out += shown;
        } else {
            append_quoted(out, shown);
        }
    } else if (const auto* real = std::get_if<double>(&field.value())) {
        out += number(*real);
    } else if (const auto* flag = std::get_if<bool>(&field.value())) {
        out += *flag ? "true" : "false";
    } else if (const auto* integer = std::get_if<std::int64_t>(&field.value())) {
        out += fmt::format("{}", *integer);
    } else {
        out += fmt::format("{}", std::get<std::uint64_t>(field.value()));
    }
}

std::string LineFormatter::fields(std::span<const Field> fields) const {
    std::string out;
    for (const Field& field : fields)
        append_field(out, field);
    return out;
}

std::string LineFormatter::line(std::chrono::system_clock::time_point time, Level level,
                                std::string_view logger, std::string_view message,
                                std::string_view bound, std::span<const Field> fields) const {
    const std::string clean = redactor_.redact(message).text;
    std::string out;
    if (format_ == Format::json) {
        out = fmt::format("{{\"ts\":\"{}\",\"level\":\"{}\",\"logger\":", format_utc(time),
                          to_string(level));
        append_quoted(out, logger);
        out += ",\"msg\":";
        append_quoted(out, clean);
    } else {
        out = fmt::format("{} {} {}: ", format_utc(time),
                          kPaddedLevels[static_cast<std::size_t>(level)], logger);
        json::append_escaped(out, clean);
    }
    out += bound;
    for (const Field& field : fields)
        append_field(out, field);
    if (format_ == Format::json) out += '}';
    return out;
}

}  // namespace evalfleet::log
