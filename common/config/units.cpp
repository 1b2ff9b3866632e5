#include "common/config/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace evalfleet::config {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t size;
};

constexpr std::array kTimeUnits = {
    Unit{"d", 86'400'000'000'000},
    Unit{"h", 3'600'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},
    Unit{"us", 1'000},
    Unit{"ns", 1},
};

constexpr std::array kByteUnits = {
    Unit{"TiB", std::uint64_t{1} << 40},
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"TB", 1'000'000'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"MB", 1'000'000},
    Unit{"kB", 1'000},
    Unit{"B", 1},
};

constexpr double kMaxAmount = 9.0e18;  // just below 2^63

Error expected(std::string_view what, std::string_view text) {
    return {ErrorKind::invalid, fmt::format("found '{}', allowed: {}", text, what)};
}

template <class Number>
Result<Number> parse_number(std::string_view text, std::string_view what) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return expected(what, text);
    }
    return number;
}

/// A non-negative number with one of `units` behind it, or with none and counting `plain`.
template <class Units>
Result<std::uint64_t> parse_amount(std::string_view text, const Units& units, std::uint64_t plain,
                                   std::string_view what) {
    double amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    while (unit.starts_with(' '))
        unit.remove_prefix(1);
    if (error != std::errc{} || !std::isfinite(amount) || amount < 0) return expected(what, text);
    std::uint64_t size = unit.empty() ? plain : 0;
    for (const Unit& known : units) {
        if (unit == known.name) size = known.size;
    }
    if (size == 0 || amount * static_cast<double>(size) > kMaxAmount) return expected(what, text);
    return static_cast<std::uint64_t>(std::llround(amount * static_cast<double>(size)));
}

template <class Units>
std::string format_amount(std::uint64_t amount, const Units& units) {
    for (const Unit& unit : units) {
        if (amount >= unit.size && amount % unit.size == 0) {
            return fmt::format("{}{}", amount / unit.size, unit.name);
        }
    }
    return fmt::format("{}{}", amount, units.back().name);
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view text,
                                                std::chrono::nanoseconds plain_unit) {
    const auto amount =
        parse_amount(text, kTimeUnits, static_cast<std::uint64_t>(plain_unit.count()),
                     "a duration such as 500ms, 30s, 5m, 1h");
    if (!amount) return amount.error();
    return std::chrono::nanoseconds(static_cast<std::int64_t>(*amount));
}

std::string format_duration(std::chrono::nanoseconds duration) {
    if (duration.count() == 0) return "0s";
    if (duration.count() < 0) return "-" + format_duration(-duration);
    return format_amount(static_cast<std::uint64_t>(duration.count()), kTimeUnits);
}

Result<ByteSize> parse_byte_size(std::string_view text) {
    const auto amount = parse_amount(text, kByteUnits, 1, "a size such as 4096, 64MiB, 1GB");
    if (!amount) return amount.error();
    return ByteSize{*amount};
}

std::string format_byte_size(ByteSize size) {
    return format_amount(size.bytes, kByteUnits);
}

Result<bool> parse_bool(std::string_view text) {
    for (const std::string_view yes : {"true", "1", "yes", "on"}) {
        if (text == yes) return true;
    }
    for (const std::string_view no : {"false", "0", "no", "off"}) {
        if (text == no) return false;
    }
    return expected("true or false", text);
}

Result<std::int64_t> parse_int64(std::string_view text) {
    return parse_number<std::int64_t>(text, "a whole number");
}

Result<std::uint64_t> parse_uint64(std::string_view text) {
    return parse_number<std::uint64_t>(text, "a whole number from 0 to 18446744073709551615");
}

Result<double> parse_double(std::string_view text) {
    const auto number = parse_number<double>(text, "a number");
    if (number && !std::isfinite(*number)) return expected("a finite number", text);
    return number;
}

}  // namespace evalfleet::config
