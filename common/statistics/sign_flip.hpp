#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace evalfleet::statistics {

/// Up to so many differences other than 0 every pattern of signs is counted (2^16 of them).
inline constexpr std::size_t kMostEnumerated = 16;

struct SignFlipPlan {
    std::uint64_t flips = 0;  ///< at most so many random ones, see `flips_for`
    std::uint64_t seed = 42;
};

/// Enough random flips for a family of `tests`: at Holm's strictest threshold, 0.05 / tests, 40 of
/// them are expected to be as far out, so a p-value can get below it.
[[nodiscard]] std::uint64_t flips_for(std::uint64_t tests) noexcept;

/// Fisher's and Pitman's sign-flip test, two-sided: how probable a sum of differences at least as
/// far from 0 is, if each difference might as well have had the other sign. The differences are of
/// independent units, in a fixed order. 1 if none is other than 0.
///
/// Exact for few differences. Else random flips, a pure function of the seed, until 40 were as far
/// out (Besag and Clifford: p = 40 / flips, a hopeless test ends early) or `plan.flips` were made
/// (p = (as far + 1) / (flips + 1)). No flip is made where Hoeffding's bound of the p-value,
/// 2 exp(-sum^2 / 2 sum of squares), is below the least that flips can show; the bound is the
/// p-value then. Each of these is a valid p-value.
[[nodiscard]] double sign_flip_test(std::span<const double> differences, const SignFlipPlan& plan);

}  // namespace evalfleet::statistics
