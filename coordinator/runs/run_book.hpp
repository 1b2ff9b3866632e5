#pragma once

#include "common/async/notifier.hpp"
#include "common/async/semaphore.hpp"
#include "common/job/setback.hpp"
#include "coordinator/reduce/early_stop.hpp"
#include "coordinator/reduce/trial_order.hpp"
#include "coordinator/runs/failure_streak.hpp"
#include "coordinator/runs/job_ages.hpp"
#include "coordinator/runs/ledger.hpp"
#include "coordinator/runs/paged_array.hpp"
#include "coordinator/runs/pass_tally.hpp"
#include "coordinator/runs/run_phase.hpp"
#include "coordinator/runs/tally.hpp"
#include "coordinator/runs/window.hpp"

#include <algorithm>
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
    RunBook(std::uint64_t total, Window::Limits limits, std::uint64_t repeats = 1)
        : ledger(total), window(limits), passes(total, repeats), retries(total) {}

    Ledger ledger;
    Window window;
    JobAges ages;
    Tally tally;
    PassTally passes;
    FailureStreak streak;
    reduce::TrialOrder order;
    std::optional<reduce::GateWatch> gates;  ///< of a run that may end early
    reduce::EarlyStop early_stop;            ///< what was made of them so far
    bool has_ended_early = false;            ///< trials are left out that the verdict does not need
    PagedArray<Tally::Retry> retries;  ///< of each trial, whether its record may be void one day
    bool has_answers = false;          ///< any trial got an answer

    /// A trial is in the log.
    void enter(std::uint64_t index, const Tally::Trial& trial) {
        tally.add(trial);
        passes.add(index, trial.passed);
        retries.set(index, trial.retry);
        has_answers = has_answers || trial.is_answered;
        if (gates) gates->add(order.position(index), trial.gate_values);
    }

    /// A trial takes no room in the window any more: its result is in the log, or nobody wants one.
    void settle(std::uint64_t index) {
        window.settle(index);
        ages.settle(index);
    }

    /// The trials that were not measured, and those that were refused if all were: then it was the
    /// run's fault.
    [[nodiscard]] std::vector<std::uint64_t> find_retries() const {
        std::vector<std::uint64_t> found;
        for (auto index = retries.next_set(0); index; index = retries.next_set(*index + 1)) {
            const bool is_refused = retries.get(*index) == Tally::Retry::refused && !has_answers;
            if (retries.get(*index) == Tally::Retry::unmeasured || is_refused)
                found.push_back(*index);
        }
        return found;
    }

    /// The log says that a trial is tried again: it goes out once more. `gates` knows nothing of
    /// it.
    void reopen(std::uint64_t index) {
        if (retries.get(index) == Tally::Retry::no || !ledger.reopen(index)) return;
        retries.set(index, Tally::Retry::no);
        tally.take_back_failed();
        passes.take_back_failed(index);
        bad_results.erase(index);
        cursor = std::min(cursor, order.position(index));
        ++rewinds;
    }

    RunPhase phase = RunPhase::queued;

    /// Of the order: every trial before it has gone out at least once, or is in the log.
    std::uint64_t cursor = 0;
    std::uint64_t rewinds = 0;  ///< how often the cursor was set back

    /// The collector counts its looks at the result stream, so that the auditor can tell when
    /// everything that was there at a moment has been logged.
    std::uint64_t looks_begun = 0;
    std::uint64_t looks_completed = 0;  ///< the number of the last look that saw the stream's end

    bool audit_wanted = false;       ///< Redis may have lost something
    bool redis_memory_full = false;  ///< nothing goes out until there is room
    std::string log_blocked_reason;  ///< why the log cannot be written: nothing goes out meanwhile
    std::string log_damage;          ///< what the disk lost of the log; empty: nothing
    std::string blocked_reason;  ///< what stands in the way right now, for people; empty: nothing

    /// What was in the way of a trial last.
    std::optional<job::Setback> last_setback;
    async::TimePoint last_setback_at{};

    /// Results of a trial that were not usable; after a few the trial is given up.
    std::unordered_map<std::uint64_t, unsigned> bad_results;

    /// Trials of which no call was made, since the run ended early. Unknown after a restart.
    std::optional<std::uint64_t> spared;

    /// Results of trials that were in the log already; there are none unless a test lets them in.
    std::vector<std::uint64_t> repeated_offsets;

    /// Held by who writes the log, until it is entered here too; and by who takes trials out, so
    /// that none of them is on its way into the log.
    async::Semaphore log_turn{1};
    async::Notifier changed;
};

/// A later coordinator has taken the run over: this one must not touch it any more.
class Fenced : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Something that was in the log is not there any more: it has to be opened anew, which finds out
/// what is left.
class LogBroken : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace evalfleet::runs
