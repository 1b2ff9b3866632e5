#include "common/json/plain_number.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace evalfleet::json {
namespace {

constexpr int kMostWholeDigits = 18;  // fits into 64 bits with any sign
constexpr int kMostDigits = 100;      // with two digits of exponent far from the range's ends
constexpr int kExactDigits = 15;      // such integers are doubles exactly

// All powers of ten that are doubles exactly.
constexpr std::array kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr unsigned digit(char c) noexcept {
    return static_cast<unsigned>(c) - '0';
}

constexpr bool is_digit(char c) noexcept {
    return digit(c) < 10;
}

// What a number is made of.
struct Parts {
    bool is_negative = false;
    bool is_plain = false;  ///< keeps to the grammar and to the bounds above
    bool is_whole = true;   ///< neither fraction nor exponent
    bool has_exponent = false;
    std::ptrdiff_t digits = 0;
    std::ptrdiff_t fraction_digits = 0;
    std::uint64_t mantissa = 0;  ///< wrapped around if there are more than 19 digits
    const char* end = nullptr;

    explicit Parts(const char* at) noexcept {
        is_negative = *at == '-';
        if (is_negative) ++at;
        if (!is_digit(*at) || (*at == '0' && is_digit(at[1]))) return;
        at = take_digits(at);
        if (digits > kMostWholeDigits) return;
        if (*at == '.') {
            is_whole = false;
            const std::ptrdiff_t before = digits;
            at = take_digits(at + 1);
            fraction_digits = digits - before;
            if (fraction_digits == 0 || digits > kMostDigits) return;
        }
        if (*at == 'e' || *at == 'E') {
            is_whole = false;
            has_exponent = true;
            ++at;
            if (*at == '+' || *at == '-') ++at;
            if (!is_digit(*at)) return;
            ++at;
            if (is_digit(*at)) ++at;
        }
        end = at;
        is_plain = may_follow_value(*at);
    }

  private:
    const char* take_digits(const char* at) noexcept {
        const char* const first = at;
        for (; is_digit(*at); ++at)
            mantissa = 10 * mantissa + digit(*at);
        digits += at - first;
        return at;
    }
};

}  // namespace

bool is_plain_number(const char* from) noexcept {
    return Parts(from).is_plain;
}

bool read_plain_number(const char* from, FieldValue& value) noexcept {
    const Parts parts(from);
    if (!parts.is_plain) return false;
    if (parts.is_whole) {
        const auto whole = static_cast<std::int64_t>(parts.mantissa);
        value.kind = FieldValue::Kind::integer;
        value.integer = parts.is_negative ? -whole : whole;
        return true;
    }
    value.kind = FieldValue::Kind::real;
    if (!parts.has_exponent && parts.digits <= kExactDigits) {
        // Both are exact, so their quotient is rounded once, as it must be.
        const double real = static_cast<double>(parts.mantissa) /
                            kPowersOfTen[static_cast<std::size_t>(parts.fraction_digits)];
        value.real = parts.is_negative ? -real : real;
        return true;
    }
    const auto [end, fault] = std::from_chars(from, parts.end, value.real);
    return fault == std::errc() && end == parts.end;
}

}  // namespace evalfleet::json
