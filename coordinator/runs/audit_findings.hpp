#pragma once

#include <cstdint>

namespace evalfleet::runs {

/// What an audit put right.
struct AuditFindings {
    std::uint64_t vanished = 0;     ///< out, but not in Redis: go out again
    std::uint64_t resurrected = 0;  ///< in Redis, though their result is in the log: removed
    std::uint64_t orphaned = 0;     ///< in Redis, but nobody would be handed them: made ready
    [[nodiscard]] bool any() const { return vanished + resurrected + orphaned > 0; }
};

}  // namespace evalfleet::runs
