#include "common/statistics/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace evalfleet::statistics {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kLimbBits = 32;
constexpr std::int64_t kLimbMask = (std::int64_t{1} << kLimbBits) - 1;
constexpr int kMantissaBits = 52;
constexpr int kLowestExponent = -1074;

struct Decomposed {
    std::uint64_t mantissa;
    std::uint32_t shift;  // the value is mantissa * 2^(shift - 1074)
};

Decomposed decompose(std::uint64_t bits) noexcept {
    const auto exponent = static_cast<std::uint32_t>((bits >> kMantissaBits) & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << kMantissaBits) - 1);
    if (exponent == 0) return {fraction, 0};
    return {fraction | (std::uint64_t{1} << kMantissaBits), exponent - 1};
}

}  // namespace

void ExactSum::add(double value, std::uint32_t times) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto [mantissa, shift] = decompose(bits);
    const std::size_t limb = shift / kLimbBits;
    // At most 53 + 32 + 31 bits.
    const Wide term = (Wide{mantissa} * times) << (shift % kLimbBits);
    // 0 or -1: negates by complement without a branch the predictor cannot learn.
    const auto sign = static_cast<std::int64_t>(bits) >> 63;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto piece = static_cast<std::int64_t>(term >> (kLimbBits * i)) & kLimbMask;
        limbs_[limb + i] += (piece ^ sign) - sign;
    }
    if (++additions_ == kAdditionsBetweenCarries) carry();
}

void ExactSum::carry() noexcept {
    for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
        limbs_[i + 1] += limbs_[i] >> kLimbBits;
        limbs_[i] &= kLimbMask;
    }
    additions_ = 0;
}

void ExactSum::merge(const ExactSum& other) noexcept {
    ExactSum carried = other;
    carried.carry();
    carry();
    for (std::size_t i = 0; i < kLimbs; ++i) {
        limbs_[i] += carried.limbs_[i];
    }
    additions_ = 1;
}

double ExactSum::value() const noexcept {
    ExactSum magnitude = *this;
    magnitude.carry();
    // After the carry only the top limb can be negative, and it has the sign of the sum.
    const bool negative = magnitude.limbs_[kLimbs - 1] < 0;
    if (negative) {
        for (std::int64_t& limb : magnitude.limbs_) {
            limb = -limb;
        }
        magnitude.carry();
    }
    std::size_t top = kLimbs;
    while (top > 0 && magnitude.limbs_[top - 1] == 0) {
        --top;
    }
    if (top == 0) return 0.0;
    --top;

    // The three highest limbs hold at least 65 significant bits; what lies below only breaks ties.
    Wide head = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        head = (head << kLimbBits) |
               static_cast<std::uint64_t>(top >= i ? magnitude.limbs_[top - i] : 0);
    }
    bool sticky = false;
    for (std::size_t i = 0; i + 3 <= top; ++i) {
        sticky = sticky || magnitude.limbs_[i] != 0;
    }
    const auto high = static_cast<std::uint64_t>(head >> 64);
    const int width =
        high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(head));
    int exponent = kLowestExponent + kLimbBits * (static_cast<int>(top) - 2);
    std::uint64_t mantissa = static_cast<std::uint64_t>(head);
    if (width > kMantissaBits + 1) {
        const int drop = width - (kMantissaBits + 1);
        const Wide rest = head & ((Wide{1} << drop) - 1);
        const Wide half = Wide{1} << (drop - 1);
        mantissa = static_cast<std::uint64_t>(head >> drop);
        const bool up = rest > half || (rest == half && (sticky || (mantissa & 1) != 0));
        mantissa += up ? 1 : 0;
        exponent += drop;
    }
    const double result = std::ldexp(static_cast<double>(mantissa), exponent);
    return negative ? -result : result;
}

}  // namespace evalfleet::statistics
