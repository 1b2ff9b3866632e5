#pragma once

#include "tests/chaos/faults.hpp"

#include <cstdint>
#include <vector>

namespace evalfleet::chaos {

/// What happens in one round: runs are handed in, faults strike one after the other while they go
/// on, one of the runs is told something meanwhile.
struct Round {
    std::vector<const Fault*> strikes{};
    Fate fate = Fate::plain;
    std::mt19937::result_type seed = 0;  ///< of everything that is drawn while it is played
};

/// Pure: the same seed gives the same rounds.
/// One round for each of these faults, in a drawn order, `at_most` in all, with fates in turn.
[[nodiscard]] std::vector<Round> draw_rounds(std::vector<const Fault*> faults, std::size_t at_most,
                                             std::uint32_t seed);

/// One round with so many strikes of any of these faults.
[[nodiscard]] Round draw_storm(const std::vector<const Fault*>& faults, std::size_t strikes,
                               std::uint32_t seed);

}  // namespace evalfleet::chaos
