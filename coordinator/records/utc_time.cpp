#include "coordinator/records/utc_time.hpp"

#include <chrono>

namespace evalfleet::records {

namespace {

// The digits of a field; -1 if one is none.
int digits(std::string_view text) noexcept {
    int number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return -1;
        number = number * 10 + (c - '0');
    }
    return number;
}

}  // namespace

std::optional<std::int64_t> parse_utc_ms(std::string_view text) noexcept {
    if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const int year = digits(text.substr(0, 4));
    const int month = digits(text.substr(5, 2));
    const int day = digits(text.substr(8, 2));
    const int hour = digits(text.substr(11, 2));
    const int minute = digits(text.substr(14, 2));
    const int second = digits(text.substr(17, 2));
    if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0)
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    std::int64_t ms = std::chrono::sys_days(date).time_since_epoch().count() * 86'400'000LL;
    ms += ((hour * 60LL + minute) * 60 + second) * 1000;
    if (text.size() >= 23 && text[19] == '.' && digits(text.substr(20, 3)) >= 0)
        ms += digits(text.substr(20, 3));
    return ms;
}

}  // namespace evalfleet::records
