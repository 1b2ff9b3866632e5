#pragma once

#include <cstdint>
#include <span>

namespace evalfleet::statistics {

/// Up to so many units in the smaller part the split is rearranged; beyond, the normal distribution
/// is as good.
inline constexpr std::uint64_t kMostRearranged = 500;

struct SplitPlan {
    std::uint64_t rearrangements = 0;  ///< at most so many; fewer where the part is large
    std::uint64_t seed = 42;
};

struct SplitTest {
    double difference = 0;  ///< mean of the part minus mean of the rest
    double p_value = 1;
};

/// Whether a part of independent units differs from the rest: how probable a difference of means at
/// least as far from 0 is, two-sided, if the part were drawn at random from all units (Fisher's and
/// Pitman's permutation test). `part` has places in `values`, ascending; at least two of them, and
/// of the rest.
///
/// What is held against each other are differences divided by their standard error (Janssen 1997),
/// so that a part that merely varies more than the rest is not taken for one that differs. Neither
/// side's variance counts as less than that of all units: a part of twenty passes has no variance,
/// which says little. Random rearrangements, a pure function of the seed, are counted by
/// `sequential_p_value`; none is made where Bernstein's bound is below the least that they can
/// show.
[[nodiscard]] SplitTest split_test(std::span<const double> values,
                                   std::span<const std::uint32_t> part, const SplitPlan& plan);

}  // namespace evalfleet::statistics
