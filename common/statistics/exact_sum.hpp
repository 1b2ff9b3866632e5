#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace evalfleet::statistics {

/// Adding doubles one by one rounds at every step, so the result depends on the order, and with it
/// on the number of threads. This sum is exact until it is read: every double is a whole number of
/// 2^-1074, and the accumulator is one wide integer in that unit. `value()` rounds once, to nearest
/// even, and so equals Python's `math.fsum` for any order and any split into parts.
///
/// Only finite values may be added. A sum beyond the largest double reads as infinity with its
/// sign; a sum of nothing, or one that cancels out, reads as +0.
class ExactSum {
  public:
    void add(double value) noexcept { add(value, 1); }

    /// Adds `value` `times` over, exactly.
    void add(double value, std::uint32_t times) noexcept;

    void merge(const ExactSum& other) noexcept;

    /// The exact sum, rounded once.
    [[nodiscard]] double value() const noexcept;

  private:
    // 2^-1074 * 2^(32 i) is the weight of limb i. The widest double ends at bit 2098; the rest is
    // room for 2^64 of them.
    static constexpr std::size_t kLimbs = 70;
    // Each addition changes a limb by less than 2^32, so carries can wait this long.
    static constexpr std::uint32_t kAdditionsBetweenCarries = 1U << 30;

    void carry() noexcept;

    std::array<std::int64_t, kLimbs> limbs_{};
    std::uint32_t additions_ = 0;
};

}  // namespace evalfleet::statistics
