#pragma once

#include "common/async/notifier.hpp"
#include "common/job/setback.hpp"
#include "coordinator/runs/failure_streak.hpp"
#include "coordinator/runs/job_ages.hpp"
#include "coordinator/runs/ledger.hpp"
#include "coordinator/runs/run_phase.hpp"
#include "coordinator/runs/tally.hpp"
#include "coordinator/runs/trial_order.hpp"
#include "coordinator/runs/window.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace evalfleet::runs {

/// What the roles of one run share: feeder, collector, auditor and keeper read and write it, all on
/// one executor, and ring `changed` when another may have to act.
struct RunBook {
    RunBook(std::uint64_t total, Window::Limits limits) : ledger(total), window(limits) {}

    Ledger ledger;
    Window window;
    JobAges ages;
    Tally tally;
    FailureStreak streak;
    TrialOrder order;
    std::optional<GateWatch> gates;  ///< of a run that may end early

    /// A trial is in the log.
    void enter(std::uint64_t index, const Tally::Trial& trial) {
        tally.add(trial);
        if (gates) gates->add(order.position(index), trial.gate_values);
    }

    /// The verdict is certain although trials are missing.
    [[nodiscard]] bool may_end_early() const {
        return gates && gates->verdict() != GateWatch::Verdict::open && !ledger.has_everything();
    }

    RunPhase phase = RunPhase::queued;

    std::uint64_t cursor = 0;  ///< of the order: every trial before it has gone out at least once

    /// The collector counts its looks at the result stream, so that the auditor can tell when
    /// everything that was there at a moment has been logged.
    std::uint64_t looks_begun = 0;
    std::uint64_t looks_completed = 0;  ///< the number of the last look that saw the stream's end

    bool audit_wanted = false;       ///< Redis may have lost something
    bool redis_memory_full = false;  ///< nothing goes out until there is room
    std::string disk_trouble;        ///< why the log cannot be written: nothing goes out meanwhile
    std::string obstacle;  ///< what stands in the way right now, for people; empty: nothing

    /// What was in the way of a trial last.
    std::optional<job::Setback> last_setback;
    async::TimePoint last_setback_at{};

    /// Results of a trial that were not usable; after a few the trial is given up.
    std::unordered_map<std::uint64_t, unsigned> bad_results;

    /// Results of trials that were in the log already; there are none unless a test lets them in.
    std::vector<std::uint64_t> repeated_offsets;

    async::Notifier changed;
};

/// A later coordinator has taken the run over: this one must not touch it any more.
class Overtaken : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace evalfleet::runs
