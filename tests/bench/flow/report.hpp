#pragma once

#include "tests/bench/flow/scenario.hpp"

#include <string>
#include <vector>

namespace evalfleet::bench {

/// A scenario and what came of it.
struct Row {
    const Scenario& scenario;
    Measured fault_free;
    Measured faulty;

    [[nodiscard]] bool is_passed() const;
};

/// Two lines a scenario: the run without faults, and the one with them.
[[nodiscard]] std::string as_table(const std::vector<Row>& rows);
[[nodiscard]] std::string as_json(const std::vector<Row>& rows);
[[nodiscard]] std::string target_of(const Scenario& scenario);

}  // namespace evalfleet::bench
