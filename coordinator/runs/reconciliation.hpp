#pragma once

#include "common/async/clock.hpp"
#include "common/queue/types.hpp"
#include "coordinator/runs/run_phase.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// What has to become of a run that Redis has, by what the store knows of it. The store is right;
/// Redis may have missed a change, or have gone back to a time before it. Pure.
namespace evalfleet::runs {

/// What a run wants of the workers.
enum class Standing {
    elsewhere,  ///< not for this coordinator to say
    going,      ///< its keeper tells Redis what it wants
    waiting,    ///< nothing goes out until somebody resumes it; what came back is kept
    stopping,   ///< nothing is wanted any more, and what is out is to stop
    over,       ///< it is over, or removed
};

/// Of a run that is in this phase. One that ended early has trials out that nobody needs.
[[nodiscard]] Standing standing_of(RunPhase phase, bool has_ended_early) noexcept;

/// The state that a run must get in Redis, which has it in `state` (as in queue::RunStats). Nothing
/// if it may stay as it is: a run is only ever stopped here, never set going.
[[nodiscard]] std::optional<queue::RunState> decide_state(Standing standing,
                                                          std::string_view state) noexcept;

/// Runs in Redis that have no folder in the store, although Redis says that they are this store's.
/// They are over once that was so for a while: a folder may be on its way to another name, or a
/// volume not there for the moment.
class MissingRuns {
  public:
    static constexpr std::chrono::seconds kGrace{10};

    /// It was looked for and is not there. True if it is over.
    [[nodiscard]] bool is_over(const std::string& run_id, async::TimePoint now);
    /// It is there.
    void found(const std::string& run_id) { since_.erase(run_id); }
    /// Redis has these and no others.
    void keep_only(const std::set<std::string>& run_ids);

    [[nodiscard]] std::size_t size() const noexcept { return since_.size(); }

  private:
    std::map<std::string, async::TimePoint> since_;
};

}  // namespace evalfleet::runs
