#include "worker/permits/quota.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace evalfleet::worker {

using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

constexpr milliseconds kLongestRest{60'000};
constexpr double kMostSeconds = 1e9;

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<std::int64_t> read_count(const http::Headers& headers, const std::string& name) {
    const auto found = headers.find(name);
    if (!found) return std::nullopt;
    std::string_view text = http::trim(*found);
    const auto count = take_number<std::int64_t>(text);
    if (!count || *count < 0 || !text.empty()) return std::nullopt;
    return count;
}

std::optional<milliseconds> read_reset(const http::Headers& headers, const std::string& name,
                                       system_clock::time_point now) {
    const auto found = headers.find(name);
    if (!found) return std::nullopt;
    const std::string_view text = http::trim(*found);
    if (const auto moment = parse_rfc3339(text)) {
        const auto left = std::chrono::duration_cast<milliseconds>(*moment - now);
        return std::max(milliseconds(0), left);
    }
    return parse_go_duration(text);
}

Quota read_openai(const http::Headers& headers, const std::string& what,
                  system_clock::time_point now) {
    return {read_count(headers, "x-ratelimit-limit-" + what),
            read_count(headers, "x-ratelimit-remaining-" + what),
            read_reset(headers, "x-ratelimit-reset-" + what, now)};
}

Quota read_anthropic(const http::Headers& headers, const std::string& what,
                     system_clock::time_point now) {
    const std::string prefix = "anthropic-ratelimit-" + what;
    return {read_count(headers, prefix + "-limit"), read_count(headers, prefix + "-remaining"),
            read_reset(headers, prefix + "-reset", now)};
}

milliseconds time_until(const Quota& quota, std::int64_t needed) {
    if (!quota.limit || !quota.remaining || !quota.reset) return milliseconds(0);
    needed = std::min(needed, *quota.limit);
    const std::int64_t lacking = needed - *quota.remaining;
    const std::int64_t used = *quota.limit - *quota.remaining;
    if (lacking <= 0 || used <= 0) return milliseconds(0);
    const double share = static_cast<double>(lacking) / static_cast<double>(used);
    const double wait = std::ceil(static_cast<double>(quota.reset->count()) * share);
    return std::min(kLongestRest, milliseconds(static_cast<std::int64_t>(wait)));
}

/// Seconds in one of Go's units of time; 0 for no unit.
double take_unit(std::string_view& text) {
    struct Unit {
        std::string_view name;
        double seconds;
    };
    static constexpr Unit kUnits[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                                      {"h", 3600},  {"m", 60},    {"s", 1}};
    for (const Unit& unit : kUnits) {
        if (!text.starts_with(unit.name)) continue;
        text.remove_prefix(unit.name.size());
        return unit.seconds;
    }
    return 0;
}

/// A number of so many digits, with what must follow it.
bool take_digits(std::string_view& text, std::size_t digits, std::string_view then, int& out) {
    if (text.size() < digits) return false;
    std::string_view number = text.substr(0, digits);
    const bool all =
        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!all) return false;
    out = *take_number<int>(number);
    text.remove_prefix(digits);
    if (!text.starts_with(then)) return false;
    text.remove_prefix(then.size());
    return true;
}

/// `Z` or `+01:00`; empty if it is neither.
std::optional<std::chrono::minutes> take_offset(std::string_view text) {
    if (text == "Z" || text == "z") return std::chrono::minutes(0);
    if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
    const int sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
    int hours = 0;
    int minutes = 0;
    if (!take_digits(text, 2, ":", hours) || !take_digits(text, 2, "", minutes))
        return std::nullopt;
    if (!text.empty()) return std::nullopt;
    return std::chrono::minutes(sign * (hours * 60 + minutes));
}

}  // namespace

std::optional<milliseconds> parse_go_duration(std::string_view text) {
    double seconds = 0;
    if (text.empty()) return std::nullopt;
    while (!text.empty()) {
        const auto number = take_number<double>(text);
        if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
        const double unit = take_unit(text);
        // Only a number that is all there is may stand without a unit.
        if (unit == 0 && (!text.empty() || seconds != 0)) return std::nullopt;
        seconds += *number * (unit == 0 ? 1 : unit);
    }
    seconds = std::min(seconds, kMostSeconds);
    return milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1e3)));
}

std::optional<system_clock::time_point> parse_rfc3339(std::string_view text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const bool good = take_digits(text, 4, "-", year) && take_digits(text, 2, "-", month) &&
                      take_digits(text, 2, "T", day) && take_digits(text, 2, ":", hour) &&
                      take_digits(text, 2, ":", minute) && take_digits(text, 2, "", second);
    if (!good) return std::nullopt;
    if (text.starts_with('.')) {  // fractions of a second do not matter to anybody who waits
        text.remove_prefix(1);
        text.remove_prefix(std::min(text.size(), text.find_first_not_of("0123456789")));
    }
    const auto offset = take_offset(text);
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!offset || !date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second) - *offset;
}

Quotas read_quotas(const http::Headers& headers, system_clock::time_point now) {
    Quotas quotas{read_openai(headers, "requests", now), read_openai(headers, "tokens", now)};
    if (quotas.requests == Quota{}) quotas.requests = read_anthropic(headers, "requests", now);
    if (quotas.tokens == Quota{}) quotas.tokens = read_anthropic(headers, "tokens", now);
    return quotas;
}

milliseconds rest_after(const Quotas& quotas, std::int64_t tokens) {
    return std::max(time_until(quotas.requests, 1), time_until(quotas.tokens, tokens));
}

milliseconds rest_after_refusal(std::optional<milliseconds> retry_after) {
    return std::clamp(retry_after.value_or(milliseconds(0)), milliseconds(0), kLongestRest);
}

}  // namespace evalfleet::worker
