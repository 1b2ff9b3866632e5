#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <string>

namespace evalfleet::store {

/// Names one process for good: numbers of processes are used again, and mean something else in
/// another container or after the machine was started anew.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::string host;   ///< for people
    std::string world;  ///< of the machine's boot and the container: pids of one are comparable
    std::string start_time;  ///< of the process, as the kernel counts it

    /// Of the process that asks. Blocks.
    [[nodiscard]] static ProcessIdentity blocking_own();
    bool operator==(const ProcessIdentity&) const = default;
};

/// Ends exactly this process, as `kill -9`, whether it runs or is stopped; fine if it is gone
/// already. `denied` if it lives in another world or belongs to somebody else. Its locks are
/// free a moment after this. Blocks.
[[nodiscard]] Status blocking_end(const ProcessIdentity& process);

}  // namespace evalfleet::store
