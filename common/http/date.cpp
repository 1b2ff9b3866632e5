#include "common/http/date.hpp"

#include "common/http/headers.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace evalfleet::http {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

struct Fields {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

/// Cuts the text up to the next of `separators` off its front.
std::string_view take_word(std::string_view& text, std::string_view separators) {
    const auto begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return text = {};
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(separators), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

template <class Number>
bool to_number(std::string_view text, std::size_t min_digits, std::size_t max_digits,
               Number& number) {
    if (text.size() < min_digits || text.size() > max_digits || text.front() == '-') return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

bool to_month(std::string_view text, unsigned& month) {
    for (unsigned i = 0; i < kMonths.size(); ++i) {
        if (text != kMonths[i]) continue;
        month = i + 1;
        return true;
    }
    return false;
}

bool to_time(std::string_view text, Fields& fields) {
    return text.size() == 8 && text[2] == ':' && text[5] == ':' &&
           to_number(text.substr(0, 2), 2, 2, fields.hour) &&
           to_number(text.substr(3, 2), 2, 2, fields.minute) &&
           to_number(text.substr(6, 2), 2, 2, fields.second) && fields.hour < 24 &&
           fields.minute < 60 && fields.second <= 60;
}

/// After the comma: "06 Nov 1994 08:49:37 GMT" or "06-Nov-94 08:49:37 GMT".
bool parse_after_comma(std::string_view text, int current_year, Fields& fields) {
    if (!to_number(take_word(text, " -"), 2, 2, fields.day)) return false;
    if (!to_month(take_word(text, " -"), fields.month)) return false;
    const std::string_view year = take_word(text, " -");
    if (!to_number(year, 2, 4, fields.year) || year.size() == 3) return false;
    if (year.size() == 2) {
        fields.year += current_year - current_year % 100;
        if (fields.year > current_year + 50) fields.year -= 100;
    }
    return to_time(take_word(text, " "), fields) && take_word(text, " ") == "GMT" && text.empty();
}

/// "Nov  6 08:49:37 1994"
bool parse_asctime(std::string_view text, Fields& fields) {
    return to_month(take_word(text, " "), fields.month) &&
           to_number(take_word(text, " "), 1, 2, fields.day) &&
           to_time(take_word(text, " "), fields) &&
           to_number(take_word(text, " "), 4, 4, fields.year) && text.empty();
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_date(std::string_view text,
                                                   std::chrono::sys_seconds now) {
    namespace chrono = std::chrono;
    const chrono::year_month_day today(chrono::floor<chrono::days>(now));
    Fields fields;
    text = trim(text);
    const auto comma = text.find(',');
    if (comma != std::string_view::npos) {
        if (!parse_after_comma(text.substr(comma + 1), int(today.year()), fields)) return {};
    } else {
        take_word(text, " ");
        if (!parse_asctime(text, fields)) return {};
    }
    const chrono::year_month_day date(chrono::year(fields.year), chrono::month(fields.month),
                                      chrono::day(fields.day));
    if (!date.ok()) return {};
    return chrono::sys_days(date) + chrono::hours(fields.hour) + chrono::minutes(fields.minute) +
           chrono::seconds(fields.second);
}

std::string format_date(std::chrono::sys_seconds moment) {
    namespace chrono = std::chrono;
    const auto midnight = chrono::floor<chrono::days>(moment);
    const chrono::year_month_day date(midnight);
    const chrono::hh_mm_ss time(moment - midnight);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                       kDays[chrono::weekday(midnight).c_encoding()], unsigned(date.day()),
                       kMonths[unsigned(date.month()) - 1], int(date.year()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

}  // namespace evalfleet::http
