#pragma once

#include "tests/chaos/round.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// How much is played, as the environment says, and what came of it in all.
///
///     EVALFLEET_CHAOS_SEEDS   so many seeds, and every fault of a group with each; without it one
///                             seed and a few faults
///     EVALFLEET_CHAOS_SEED    the first seed (1)
///     EVALFLEET_CHAOS_ROUNDS  a file to which a line is added for each round, for chaos_table
namespace evalfleet::chaos {

[[nodiscard]] std::vector<std::uint32_t> seeds();
[[nodiscard]] std::size_t rounds_of_group();
[[nodiscard]] std::size_t faults_in_sequence();

/// Plays rounds in one test_bed, with expectations about each, and about what the programs hold on
/// to in the end. Enters what came of it into the table that is printed when the program ends;
/// `kind` stands before the name of the fault there.
void play_all(const TestBedOptions& options, const std::vector<Round>& rounds,
              const std::string& kind = "");

}  // namespace evalfleet::chaos
