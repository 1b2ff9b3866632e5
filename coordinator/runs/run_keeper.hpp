#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/async/heavy_pool.hpp"
#include "common/async/notifier.hpp"
#include "common/async/semaphore.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/log/logger.hpp"
#include "common/providers/provider_config.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/function_library.hpp"
#include "coordinator/runs/auditor.hpp"
#include "coordinator/runs/budget_plan.hpp"
#include "coordinator/runs/collector.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/progress.hpp"
#include "coordinator/runs/rate_meter.hpp"
#include "coordinator/runs/reconciliation.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/runs/run_stats.hpp"
#include "coordinator/store/durable_log.hpp"
#include "coordinator/store/run_folder.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace evalfleet::runs {

/// What every run of a coordinator uses together.
struct RunDeps {
    redis::Client& client;
    redis::FunctionLibrary& functions;
    queue::Keys keys;
    redis::Config blocking_config;  ///< for a connection of a run's own, on which it may block
    const PoolWatch& pool_watch;
    RunsMetrics& metrics;
    async::BlockingPool& pool;     ///< for small files: what takes milliseconds
    async::BlockingPool& durable;  ///< for logs and states: written and synced while others wait
    async::HeavyPool& heavy;       ///< for what may take minutes
    async::HeavyPool& requests;    ///< for what may take seconds, and a caller waits for
    async::Clock& clock;
    log::Logger logger;
    Window::Limits window;
    Auditor::Config audit;
    Collector::Config collect;
    std::uint64_t pause_after_failures = 20;  ///< see FailureStreak
    std::filesystem::path providers_file{};   ///< the operator's; empty: there is none
    job::Environment environment{};           ///< of the coordinator, as its operator says
    std::string store_id{};                   ///< whose the runs are in Redis; empty: not known
};

struct FinishedRun;
struct OpenRun;
struct RunFiles;

/// Keeps one run going from wherever it stands to its end: opens its folder and log, takes it over
/// in Redis, feeds, collects and audits until every trial is in the log, and writes its files.
/// Killed at any point, the next keeper of the folder goes on from there.
///
/// Everything runs on one executor, the caller's, which must be single-threaded.
class RunKeeper {
  public:
    /// `on_failed`: the run failed, or was found so, and is not at work any more.
    RunKeeper(RunDeps deps, store::RunFolder folder, std::function<void()> on_failed = {});
    ~RunKeeper();

    /// Returns when the run is over; `progress()` tells how it ended. Whatever goes wrong, also an
    /// exception of any kind, makes the run `failed` and is its reason; it is kept then, without
    /// its log, until it is resumed, cancelled or removed. Cancelled: throws operation_aborted; the
    /// run can be taken up again.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Asks for another phase; it is durable when this returns. `denied` if the run cannot go there
    /// from where it is.
    [[nodiscard]] boost::asio::awaitable<Status> pause();
    /// Also of a run that was given up because another coordinator has taken it over: whoever
    /// resumes it knows that there is none, as after a backup was put back.
    [[nodiscard]] boost::asio::awaitable<Status> resume();
    /// Also of a run that failed: what is in its log is kept, as of any other. One that cannot be
    /// opened, or whose files cannot be written, fails: then it can be removed.
    [[nodiscard]] boost::asio::awaitable<Status> cancel();

    /// Nothing before it has looked into the run's files: until then only they know how far it is.
    [[nodiscard]] std::optional<Progress> progress() const;

    /// It is over, and nothing is at work in its folder any more.
    [[nodiscard]] bool is_settled() const noexcept { return ended_ && is_over(phase_); }

    /// A run that is over goes nowhere from here, so that its folder may be removed. `denied` if it
    /// is not over. One that has just ended is given a few seconds to tidy up. Then `leave` ends
    /// `run()`, or, if it was not removed, `stay` takes it back.
    [[nodiscard]] boost::asio::awaitable<Status> retire();
    void leave();
    void stay() noexcept { is_retired_ = false; }

    /// What it wants of the workers, for whoever compares Redis with the store.
    [[nodiscard]] Standing standing() const noexcept;

    [[nodiscard]] RunPhase phase() const noexcept { return phase_; }

    /// What it will be compared with at its end.
    [[nodiscard]] const std::optional<std::string>& baseline_run_id() const noexcept {
        return metadata_.baseline_run_id;
    }
    /// Nothing as long as `progress` says nothing.
    [[nodiscard]] std::optional<RunStats> stats() const;

  private:
    [[nodiscard]] boost::asio::awaitable<void> attempt();
    [[nodiscard]] boost::asio::awaitable<void> open_and_work();
    [[nodiscard]] boost::asio::awaitable<void> end_by(std::exception_ptr thrown);
    [[nodiscard]] boost::asio::awaitable<void> await_resumption();
    [[nodiscard]] boost::asio::awaitable<Status> take_back();
    [[nodiscard]] boost::asio::awaitable<Status> open_log(const RunFiles& files);
    [[nodiscard]] bool has_waited_enough();
    // What it takes to read or write all of the run.
    [[nodiscard]] async::HeavyPool::Job whole_run() const;
    [[nodiscard]] boost::asio::awaitable<Result<RunFiles>> read_files();
    [[nodiscard]] boost::asio::awaitable<Status> open();
    [[nodiscard]] boost::asio::awaitable<void> read_providers();
    [[nodiscard]] boost::asio::awaitable<void> work();
    [[nodiscard]] boost::asio::awaitable<void> take_over();
    [[nodiscard]] boost::asio::awaitable<void> watch_for_end();
    [[nodiscard]] boost::asio::awaitable<void> hold(std::string reason);
    [[nodiscard]] boost::asio::awaitable<Status> prepare_again();
    [[nodiscard]] std::uint64_t streak_limit() const;
    // It paused itself, and said why.
    [[nodiscard]] bool is_held() const noexcept {
        return phase_ == RunPhase::paused && !phase_note_.empty();
    }
    [[nodiscard]] boost::asio::awaitable<bool> end_if_certain();
    [[nodiscard]] boost::asio::awaitable<bool> ask_summary();
    [[nodiscard]] boost::asio::awaitable<void> begin_drain();
    [[nodiscard]] boost::asio::awaitable<bool> end_if_drained();
    [[nodiscard]] boost::asio::awaitable<void> leave_out_what_is_not_needed(
        async::Semaphore::Permit turn);
    [[nodiscard]] boost::asio::awaitable<void> finish();
    [[nodiscard]] boost::asio::awaitable<Result<FinishedRun>> write_files();
    // Makes a phase durable, then announces it.
    [[nodiscard]] boost::asio::awaitable<Status> set_phase(RunPhase phase, std::string note = {});
    // The same, however long the disk is full.
    [[nodiscard]] boost::asio::awaitable<Status> set_phase_with_retry(RunPhase phase,
                                                                      std::string note = {});
    [[nodiscard]] boost::asio::awaitable<Status> change(RunPhase phase, queue::RunState state,
                                                        std::string note);
    [[nodiscard]] boost::asio::awaitable<void> fail(std::string why);
    [[nodiscard]] boost::asio::awaitable<Status> note_failed(std::string why);
    void let_go();
    [[nodiscard]] queue::RunTerms make_terms() const;
    [[nodiscard]] FailureStreak::Callees callees() const;
    void tell_of_workers();
    [[nodiscard]] std::optional<std::string> find_used_up_budget() const;
    [[nodiscard]] boost::asio::awaitable<void> leave_out_the_rest(std::string why);
    [[nodiscard]] std::optional<std::string> find_note() const;
    // What damaged files ask for; run_keeper_log.cpp.
    [[nodiscard]] boost::asio::awaitable<void> settle_recovery();
    [[nodiscard]] boost::asio::awaitable<void> require_sound_log();
    [[nodiscard]] Status blocking_check_dataset() const;
    [[nodiscard]] boost::asio::awaitable<void> give_log_back(std::string why);
    [[nodiscard]] std::optional<std::string> with_damage(std::optional<std::string> note) const;

    RunDeps deps_;
    store::RunFolder folder_;
    std::function<void()> on_failed_;
    log::Logger logger_;
    job::RunMetadata metadata_;
    job::RunSpec spec_;
    std::string spec_json_;
    providers::Providers providers_;  // the operator's, when the run was opened
    RunPhase phase_ = RunPhase::queued;
    std::string phase_note_;      // why it is in that phase; durable with it
    std::string blocked_reason_;  // what a step of its life waits for
    bool has_looked_ = false;     // into the run's files, whatever it found there
    bool is_fenced_ = false;
    bool is_retired_ = false;
    bool has_left_ = false;
    bool is_given_up_ = false;      // cancelled although its files cannot be written
    bool is_noted_ = true;          // the phase is on disk
    bool must_reopen_ = false;      // its log lost something
    async::Semaphore changing_{1};  // one change of the phase at a time
    async::Notifier resumed_;
    std::optional<bool> release_ready_;
    bool is_undecided_ = false;  // not ready only because nothing is known of its baseline
    std::optional<job::Measured> measured_;
    async::TimePoint started_;
    std::optional<async::TimePoint> ended_;
    std::optional<async::TimePoint> give_up_;  // what a run that is cancelled waits for
    // The verdict is certain: nothing new begins, and what is under way is waited for.
    struct Drain {
        async::TimePoint until;
        std::uint64_t looks;  // of the pool watch, when it began
    };
    std::optional<Drain> drain_;
    RateMeter rate_;
    std::set<std::string> told_of_workers_;
    std::shared_ptr<OpenRun> open_;          // none before it is open, and when it is over
    std::optional<Progress> last_progress_;  // of a run that was open
    std::optional<RunStats> last_stats_;
};

}  // namespace evalfleet::runs
