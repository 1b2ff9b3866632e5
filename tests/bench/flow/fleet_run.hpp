#pragma once

#include "tests/bench/flow/evidence.hpp"
#include "tests/bench/flow/scenario.hpp"

namespace evalfleet::bench {

/// Runs the scenario's samples on a fleet of its own, against simulated providers of its own, with
/// the scenario's faults or without. Everything that is started has ended when it returns; a run
/// that takes too long is ended. Throws std::runtime_error if something does not start.
[[nodiscard]] Evidence blocking_run(const Scenario& scenario, bool with_faults);

}  // namespace evalfleet::bench
