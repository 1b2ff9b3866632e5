#pragma once

#include "tests/bench/flow/metrics.hpp"
#include "tests/bench/flow/scenario.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::bench {

/// A call as the simulated provider saw it, in seconds on the machine's monotonic clock.
struct Call {
    std::string key;
    bool is_judges = false;
    int status = 0;  ///< 0: no reply
    double arrival = 0;
    double service = 0;
    double end = 0;  ///< 0: no reply
};

/// A trial as the fleet recorded it.
struct Trial {
    bool is_answered = false;
    bool is_judged = false;
    bool is_timeout = false;
    bool is_lost = false;
    double latency_ms = 0;
};

/// All that is left of a run.
struct Evidence {
    std::vector<Call> calls;  ///< of all providers
    std::vector<Trial> trials;
    double wall_s = 0;
    bool names_bad_worker = false;
};

/// Adds the lines of a provider's log.
void read_calls(const std::filesystem::path& log, std::vector<Call>& calls);

/// No trials if there is no such file, as after a run that was ended.
[[nodiscard]] std::vector<Trial> read_trials(const std::filesystem::path& records);

/// Everything but `ratio`, which needs another run.
[[nodiscard]] Measured measure(const Scenario& scenario, Evidence evidence);

}  // namespace evalfleet::bench
