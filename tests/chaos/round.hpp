#pragma once

#include "tests/chaos/plan.hpp"
#include "tests/chaos/table.hpp"

#include <string>

namespace evalfleet::chaos {

/// How a round ended.
struct RoundReport {
    Findings findings;  ///< empty: everything held
    ClassTally tally;
    std::string story;  ///< what happened, for whoever has to find out why
};

/// Plays a round to its end and checks everything that must hold after it. Throws if a step of the
/// test itself cannot be done, with the story so far.
[[nodiscard]] RoundReport play(TestBed& test_bed, const Round& round);

}  // namespace evalfleet::chaos
