#pragma once

#include <cstdint>

namespace evalfleet::statistics {

/// After so many rearrangements as far out as what was seen a test is hopeless.
inline constexpr std::uint64_t kAsFar = 40;

/// The p-value of a test that rearranges the data at random, at most `most` times. `is_as_far(i)`
/// makes rearrangement i and says whether it is as far out as what was seen. Besag and Clifford:
/// p = 40 / made as soon as 40 are, so a hopeless test ends early; else (as far + 1) / (most + 1).
/// Both are valid p-values.
template <class IsAsFar>
[[nodiscard]] double sequential_p_value(std::uint64_t most, IsAsFar&& is_as_far) {
    std::uint64_t as_far = 0;
    for (std::uint64_t made = 0; made < most; ++made) {
        as_far += is_as_far(made) ? 1 : 0;
        if (as_far == kAsFar) return static_cast<double>(kAsFar) / static_cast<double>(made + 1);
    }
    return static_cast<double>(as_far + 1) / static_cast<double>(most + 1);
}

}  // namespace evalfleet::statistics
