#pragma once

#include "tests/bench/flow/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evalfleet::bench {

using Arguments = std::vector<std::string>;

/// What the server can do at most, to say how much of it was used.
struct Capacity {
    enum class Kind {
        at_once,     ///< calls, from their arrival to their last byte
        slots,       ///< calls that are worked on; only what was asked for once counts
        per_minute,  ///< calls that were let in
    };
    Kind kind = Kind::at_once;
    double amount = 0;
    bool is_judges = false;  ///< only the judge's calls are limited
};

/// What is wrong with the last worker.
enum class BadWorker { none, no_provider, no_network };

/// A provider that behaves badly, and what the fleet shall make of it.
struct Scenario {
    std::string name;
    std::string what;
    std::vector<Check> target;

    std::size_t samples = 0;
    std::size_t concurrency = 8;  ///< of each worker
    Arguments plain{};            ///< of the simulated provider in the run without faults
    Arguments faulty{};           ///< in the other one
    bool judge_is_apart = false;  ///< at a provider of its own, as `plain` or `faulty_judge`
    Arguments faulty_judge{};

    std::size_t workers = 8;
    BadWorker bad_worker = BadWorker::none;
    std::chrono::seconds call_timeout{120};
    std::chrono::seconds patience{300};  ///< then the run is ended

    std::optional<Capacity> capacity{};
    std::chrono::seconds warm_up{0};  ///< not looked at for `used` and `refused`
    struct Outage {
        double start_s;
        double duration_s;
    };
    std::optional<Outage> outage{};
    bool has_hangs = false;  ///< calls that never get an answer have to time out
};

[[nodiscard]] std::span<const Scenario> all_scenarios();

}  // namespace evalfleet::bench
