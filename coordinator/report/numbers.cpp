#include "coordinator/report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::report {

namespace {

std::string group_digits(std::string digits) {
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string show_milliseconds(double value) {
    const double size = std::abs(value);
    if (size >= 10'000) return fmt::format("{:.1f} s", value / 1000);
    if (size >= 1000) return fmt::format("{:.2f} s", value / 1000);
    if (size >= 100) return fmt::format("{:.0f} ms", value);
    return fmt::format("{:.1f} ms", value);
}

}  // namespace

std::string show(double value, Unit unit) {
    switch (unit) {
        case Unit::score:
            return fmt::format("{:.3f}", value);
        case Unit::share:
            return fmt::format("{:.1f} %", value * 100);
        case Unit::milliseconds:
            return show_milliseconds(value);
        case Unit::ratio:
            return fmt::format("{:.2f}", value);
        case Unit::tokens:
            return value < 1e15 ? show_count(static_cast<std::int64_t>(std::llround(value)))
                                : fmt::format("{:.3g}", value);
        case Unit::usd:
            return fmt::format("${:.{}f}", value, std::abs(value) < 1 ? 4 : 2);
    }
    return kUnknown;
}

std::string show(const std::optional<double>& value, Unit unit) {
    return value ? show(*value, unit) : kUnknown;
}

std::string show(const std::optional<statistics::Interval>& interval, Unit unit) {
    if (!interval) return kUnknown;
    return fmt::format("{} to {}", show(interval->lower, unit), show(interval->upper, unit));
}

std::string show_count(std::int64_t count) {
    if (count >= 0) return show_count(static_cast<std::uint64_t>(count));
    return "-" + group_digits(fmt::format("{}", count).substr(1));
}

std::string show_count(std::uint64_t count) {
    return group_digits(std::to_string(count));
}

}  // namespace evalfleet::report
