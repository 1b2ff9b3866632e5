#pragma once

#include "tests/chaos/faults.hpp"

#include <cstdint>
#include <vector>

namespace evalfleet::chaos {

/// What happens in one round: runs are handed in, faults are injected one after the other while
/// they go on, one of the runs is steered meanwhile.
struct Round {
    std::vector<const Fault*> faults{};
    Steering steering = Steering::plain;
    std::mt19937::result_type seed = 0;  ///< of everything that is drawn while it is played
};

/// One round for each of these faults, in a drawn order, `at_most` in all, with each way of
/// steering in turn. Pure, as the other: the same seed gives the same rounds.
[[nodiscard]] std::vector<Round> draw_rounds(std::vector<const Fault*> faults, std::size_t at_most,
                                             std::uint32_t seed);

/// One round with so many of these faults, any of them any number of times.
[[nodiscard]] Round draw_sequence(const std::vector<const Fault*>& faults, std::size_t count,
                                  std::uint32_t seed);

}  // namespace evalfleet::chaos
