#pragma once

#include "tests/bench/load/memory.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace evalfleet::bench {

/// What a fleet is made to carry.
struct Load {
    std::string name;
    std::size_t workers = 1;
    std::size_t concurrency = 0;  ///< of each
    std::chrono::milliseconds service{0};
    std::uint64_t samples = 0;
    std::uint64_t repeats = 1;
    std::chrono::seconds warm_up{0};             ///< not looked at
    std::optional<std::chrono::seconds> held{};  ///< for so long; nothing: to the verdict
    std::chrono::seconds patience{0};            ///< for the verdict
    bool fills_slots = false;                    ///< calls are to be under way in (nearly) all
};

struct Carried {
    std::uint64_t trials = 0;
    std::uint64_t errors = 0;
    std::string state{};
    double seconds = 0;       ///< from the submission to the end of what was looked at
    MemoryCurve in_flight{};  ///< calls at the provider; a curve like any other
    std::uint64_t least_in_flight = ~std::uint64_t{0};
    std::size_t workers_seen = 0;  ///< by the coordinator, at the end
    /// "coordinator", "redis" (its data), "worker" (the largest), "workers" (all of them); while
    /// trials ran.
    std::map<std::string, MemoryCurve> memory{};
    std::size_t missed_looks = 0;         ///< at Redis, which did not answer in time
    double most_while_finishing_mib = 0;  ///< of the coordinator
};

/// Starts a fleet of real processes, has it carry that, and ends it. Throws std::runtime_error if
/// it does not start, or the run does not end.
[[nodiscard]] Carried blocking_carry(const Load& load);

}  // namespace evalfleet::bench
