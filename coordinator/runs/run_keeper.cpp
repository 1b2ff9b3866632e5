#include "coordinator/runs/run_keeper.hpp"

#include "common/async/run_all.hpp"
#include "coordinator/runs/feeder.hpp"
#include "coordinator/runs/finisher.hpp"
#include "coordinator/runs/flow_notes.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/operator_providers.hpp"
#include "coordinator/runs/pool_share.hpp"
#include "coordinator/runs/redis_backoff.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTellTimeout{2};     // somebody waits for the answer
constexpr std::size_t kMostTold = 100;              // workers that a log names
constexpr std::chrono::seconds kWorkerPatience{5};  // before it is said that there is no worker

// A level of priority is worth a factor of two in the share of the workers.
double share_of(std::int64_t priority) {
    return std::exp2(static_cast<double>(priority - 5));
}

// An answer as long as it may be, of four bytes a token, and all that is said about it.
std::uint64_t guess_record_bytes(const job::RunSpec& spec) {
    constexpr std::int64_t kRest = 4096;
    const std::int64_t tokens = std::clamp<std::int64_t>(spec.generation.max_tokens, 0, 1 << 20);
    return static_cast<std::uint64_t>(kRest + 4 * tokens);
}

// Whom the run's trials call, and how long that takes. Stored answers are not asked for again.
void add_calls(RunStats& stats, const job::RunSpec& spec, const Tally& tally) {
    if (!spec.rejudged_from && !spec.models.empty())
        stats.model_provider = spec.models.front().provider;
    if (spec.judge) stats.judge_provider = spec.judge->model.provider;
    stats.model_seconds = tally.model_ms() / 1000;
    stats.judge_seconds = tally.judge_ms() / 1000;
}

}  // namespace

RunKeeper::RunKeeper(RunDeps deps, store::RunFolder folder, std::function<void()> on_failed)
    : deps_(std::move(deps)),
      folder_(std::move(folder)),
      on_failed_(std::move(on_failed)),
      logger_(deps_.logger.with("run", {{"run", folder_.run_id()}})),
      started_(deps_.clock.now()) {}

RunKeeper::~RunKeeper() = default;

asio::awaitable<Result<RunFiles>> RunKeeper::read_files() {
    // Nobody changes the phase between reading and knowing it.
    const auto permit = co_await changing_.acquire();
    auto read = [this] { return RunFiles::blocking_read(folder_); };
    auto files = co_await deps_.pool.run(read);
    has_looked_ = true;
    if (files) {
        phase_ = files->phase;
        phase_note_ = files->phase_note;
    }
    co_return files;
}

// A file that is broken right now is no reason to stop: only a budget of money needs it, and says
// so.
asio::awaitable<void> RunKeeper::read_providers() {
    auto read = [this] { return blocking_read_operator_providers(deps_.providers_file); };
    auto known = co_await deps_.pool.run(read);
    if (!known) logger_.warn("cannot read the providers", {{"error", known.error()}});
    providers_ = known ? std::move(*known) : providers::Providers();
}

asio::awaitable<Status> RunKeeper::open_log(const RunFiles& files) {
    auto work = [this, &files](const std::stop_token& stop) {
        return OpenRun::blocking_open(folder_, files, deps_.window, stop);
    };
    for (;;) {
        async::HeavyPool::Job job{folder_.run_id(), files.bytes};
        auto opened = co_await deps_.heavy.run(std::move(job), work);
        if (opened) {
            open_ = std::move(*opened);
            blocked_reason_.clear();
            co_return Status();
        }
        if (!is_retryable(opened.error().kind)) co_return opened.error();
        blocked_reason_ = opened.error().message;
        if (has_waited_enough())
            co_return opened.error().within("cancelled, but its log cannot be opened");
        logger_.warn("waiting to open the run", {{"error", opened.error()}});
        co_await deps_.clock.wait_for(std::chrono::seconds(1));
    }
}

asio::awaitable<Status> RunKeeper::open() {
    auto files = co_await read_files();
    if (!files) co_return files.error();
    metadata_ = files->metadata;
    spec_ = files->spec;
    spec_json_ = files->spec_json;
    if (phase_ == RunPhase::failed) {
        ended_ = deps_.clock.now() - (deps_.clock.utc_now() - files->phase_since);
        started_ = std::min(started_, *ended_);
        co_return Status();
    }
    // What an attempt before this one found out at its end does not hold any more.
    metadata_.incomplete_reason.reset();
    metadata_.saved_calls.reset();
    if (phase_ == RunPhase::finishing && !phase_note_.empty())
        metadata_.incomplete_reason = phase_note_;
    co_await read_providers();
    const auto plan = plan_budget(spec_, prices_of(providers_), {});
    if (!plan) co_return plan.error();
    if (auto opened = co_await open_log(*files); !opened) co_return opened;
    // Nothing else lets a run end that still waits for trials.
    open_->book.has_ended_early = phase_ == RunPhase::finishing && !metadata_.incomplete_reason &&
                                  open_->may_end_early && !open_->book.ledger.is_complete();
    open_->book.streak = FailureStreak(streak_limit(), callees(), spec_.limits.give_up_after);
    open_->book.window.expect_records_of(guess_record_bytes(spec_));
    open_->queue.emplace(deps_.client, deps_.functions, deps_.keys, metadata_.run_id,
                         open_->log.epoch());
    co_return Status();
}

FailureStreak::Callees RunKeeper::callees() const {
    FailureStreak::Callees callees;
    callees.model = describe_provider(spec_.models.front().provider, providers_);
    if (spec_.judge) callees.judge = describe_provider(spec_.judge->model.provider, providers_);
    return callees;
}

queue::RunTerms RunKeeper::make_terms() const {
    queue::RunTerms terms;
    terms.share = share_of(spec_.priority);
    terms.spec = spec_json_;
    terms.max_in_flight = static_cast<std::uint64_t>(spec_.limits.max_in_flight);
    const auto plan = plan_budget(spec_, prices_of(providers_), open_->book.tally.spent());
    terms.cost = plan.value().cost;
    terms.tokens = plan.value().tokens;
    terms.needs = needs_of(spec_);
    terms.owner = deps_.store_id;
    if (phase_ == RunPhase::paused || drain_) terms.state = queue::RunState::paused;
    if (phase_ == RunPhase::cancelling) terms.state = queue::RunState::cancelled;
    return terms;
}

asio::awaitable<void> RunKeeper::work() {
    co_await settle_recovery();
    logger_.info("run opened", {{"total", open_->book.ledger.total()},
                                {"done", open_->book.ledger.count_done()},
                                {"epoch", open_->log.epoch()}});
    RunBook& book = open_->book;
    if (phase_ == RunPhase::queued) co_await set_phase_with_retry(RunPhase::running);
    book.phase = phase_;
    // Results may have come while nobody was here: they are brought home before anything goes out.
    book.audit_wanted = open_->log.epoch() > 1;
    const auto executor = co_await asio::this_coro::executor;
    redis::Client blocking(executor, deps_.clock, deps_.blocking_config);
    const OpenRun& open = *open_;
    Feeder feeder(
        {}, book, *open_->queue, deps_.pool,
        [&open](std::uint64_t index) { return open.blocking_read_payload(index); }, deps_.metrics,
        deps_.clock, logger_.with("feeder"));
    Collector collector(
        deps_.collect, book, *open_->queue, blocking, open_->log, open_->intake,
        [&open](std::uint64_t index) { return open.blocking_read_sample(index); }, deps_.pool,
        deps_.durable, deps_.metrics, deps_.clock, logger_.with("collector"));
    Auditor auditor(
        deps_.audit, book, *open_->queue, deps_.client, [this] { return make_terms(); },
        deps_.metrics, deps_.clock, logger_.with("auditor"));
    if (phase_ != RunPhase::finishing && (!book.ledger.is_complete() || is_held())) {
        co_await take_over();
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(watch_for_end());
        roles.push_back(blocking.run());
        roles.push_back(feeder.run());
        roles.push_back(collector.run());
        roles.push_back(auditor.run());
        co_await async::run_all(std::move(roles));
    }
    co_await finish();
}

asio::awaitable<void> RunKeeper::take_over() {
    for (;;) {
        const auto owned =
            co_await open_->queue->own(make_terms(), deps_.clock.now() + kCallTimeout);
        if (owned || has_waited_enough()) co_return;
        co_await backoff(deps_.clock, open_->book, logger_, "own", owned.error());
    }
}

asio::awaitable<void> RunKeeper::watch_for_end() {
    RunBook& book = open_->book;
    for (;;) {
        const async::TimePoint now = deps_.clock.now();
        rate_.observe(now, book.ledger.count_done());
        book.redis_memory_full = deps_.pool_watch.view().memory_full;
        tell_of_workers();
        if (phase_ == RunPhase::running && book.streak.reason()) {
            co_await hold(*book.streak.reason());
            continue;
        }
        if (book.ledger.is_complete() && !is_held()) co_return;
        if (co_await end_if_certain()) co_return;
        if (const auto budget = find_used_up_budget()) {
            co_await leave_out_the_rest(budget_note(*budget, spec_.limits, book.tally.spent()));
            co_return;
        }
        const bool is_late = has_waited_enough();
        if (phase_ == RunPhase::cancelling) {
            const PoolWatch::View& view = deps_.pool_watch.view();
            const bool drained = view.reachable && is_drained(view.stats, folder_.run_id());
            if (drained || is_late) co_return;
        }
        co_await book.changed.wait(deps_.clock, now + std::chrono::milliseconds(500));
    }
}

/// Once for each worker that is left aside.
void RunKeeper::tell_of_workers() {
    for (std::string& note : worker_notes(deps_.pool_watch.view().workers, needs_of(spec_))) {
        if (told_of_workers_.size() >= kMostTold) return;
        const auto [told, is_new] = told_of_workers_.insert(std::move(note));
        if (is_new) logger_.warn("a worker does nothing for this run", {{"reason", *told}});
    }
}

asio::awaitable<void> RunKeeper::finish() {
    const bool is_complete = open_->book.ledger.is_complete();
    if (is_complete && phase_ != RunPhase::finishing && phase_ != RunPhase::cancelling) {
        const Status gone = co_await set_phase_with_retry(RunPhase::finishing,
                                                          metadata_.incomplete_reason.value_or(""));
        // A cancellation may have come first: then it is one.
        if (!gone && phase_ != RunPhase::cancelling) throw std::runtime_error(gone.error().message);
    }
    metadata_.learnt_limits =
        learnt_limits(deps_.pool_watch.view().limits, accounts_of(needs_of(spec_), providers_));
    const auto finished = co_await write_files();
    if (!finished) {
        co_await require_sound_log();
        throw std::runtime_error("the run's files could not be written: " +
                                 finished.error().message);
    }
    const job::Summary& summary = finished->summary;
    measured_ = summary.extra.could_measure;
    release_ready_ = summary.release_ready && !summary.extra.is_incomplete() &&
                     measured_ == job::Measured::complete;
    std::string note = metadata_.incomplete_reason.value_or("");
    if (finished->regression && !finished->regression->passed()) {
        is_undecided_ = *release_ready_ && !finished->regression->is_known();
        release_ready_ = false;
        note = finished->regression->verdict();
    }
    // That a budget is used up says more than that trials are missing.
    const bool says_why = !note.empty() && summary.extra.unmeasured_by_reason.empty();
    if (measured_ != job::Measured::complete && !says_why)
        note = job::describe(job::unmeasured_of(summary, metadata_.api_key_id));
    const RunPhase last = phase_ == RunPhase::cancelling ? RunPhase::cancelled : RunPhase::done;
    const Status gone =
        co_await set_phase_with_retry(last, with_damage(std::move(note)).value_or(""));
    if (!gone) throw std::runtime_error(gone.error().message);
    logger_.info("run over", {{"state", to_string(last)},
                              {"release_ready", *release_ready_},
                              {"measured", job::to_string(*measured_)}});
    // If Redis is away, or does not know this opening of the run, the reconciler tells it.
    (void)co_await open_->queue->set_state(queue::RunState::done, deps_.clock.now() + kTellTimeout);
    auto clean_up = [this] { return folder_.blocking_drop_work(); };
    async::HeavyPool::Job job{folder_.run_id()};
    (void)co_await deps_.heavy.run(std::move(job), clean_up);
}

asio::awaitable<Result<FinishedRun>> RunKeeper::write_files() {
    auto work = [this](const std::stop_token& stop) -> Result<FinishedRun> {
        if (auto same = blocking_check_dataset(); !same) return same.error();
        return blocking_finish(folder_, open_->log, open_->book, metadata_, stop);
    };
    for (;;) {
        auto finished = co_await deps_.heavy.run(whole_run(), work);
        if (finished) blocked_reason_.clear();
        if (finished || !is_retryable(finished.error().kind)) co_return finished;
        if (is_given_up_) co_return finished.error().within("cancelled");
        blocked_reason_ = finished.error().message;
        logger_.error("cannot write the run's files", {{"error", finished.error()}});
        co_await deps_.clock.wait_for(std::chrono::seconds(1));
    }
}

async::HeavyPool::Job RunKeeper::whole_run() const {
    return {folder_.run_id(), open_->log.size() + open_->dataset.bytes()};
}

asio::awaitable<Status> RunKeeper::set_phase(RunPhase phase, std::string note) {
    const auto permit = co_await changing_.acquire();
    if (is_retired_) co_return Error{ErrorKind::denied, "the run is being removed"};
    if (!may_become(phase_, phase)) {
        co_return Error{ErrorKind::denied, "a run that is " + std::string(to_string(phase_)) +
                                               " cannot become " + std::string(to_string(phase))};
    }
    // What is said now is what a restart will read.
    note = store::RunFolder::shorten_note(note);
    auto write = [this, phase, &note] {
        return folder_.blocking_write_phase(to_string(phase), note);
    };
    const Status written = co_await deps_.durable.run(write);
    if (!written) co_return written;
    is_noted_ = true;
    phase_ = phase;
    phase_note_ = std::move(note);
    (void)has_waited_enough();  // from now on
    if (open_) {
        open_->book.phase = phase;
        open_->book.changed.notify_all();
    }
    co_return Status();
}

asio::awaitable<Status> RunKeeper::set_phase_with_retry(RunPhase phase, std::string note) {
    for (;;) {
        const Status gone = co_await set_phase(phase, note);
        if (gone) blocked_reason_.clear();
        if (gone || is_given_up_ || !is_retryable(gone.error().kind)) co_return gone;
        blocked_reason_ = gone.error().message;
        logger_.error("cannot write the run's state", {{"error", gone.error()}});
        co_await deps_.clock.wait_for(std::chrono::seconds(1));
    }
}

asio::awaitable<Status> RunKeeper::change(RunPhase phase, queue::RunState state, std::string note) {
    const Status gone = co_await set_phase(phase, std::move(note));
    const std::shared_ptr<OpenRun> open = open_;
    if (!gone || !open || !open->queue) co_return gone;
    const auto told = co_await open->queue->set_state(state, deps_.clock.now() + kTellTimeout);
    // The phase is durable; Redis learns of it from the audit if it is away now.
    if (!told) open->book.audit_wanted = true;
    co_return Status();
}

std::optional<std::string> RunKeeper::find_note() const {
    if (!blocked_reason_.empty()) return blocked_reason_;
    if (!phase_note_.empty()) return phase_note_;
    if (is_over(phase_) || !open_) return std::nullopt;
    if (!open_->book.log_blocked_reason.empty()) return open_->book.log_blocked_reason;
    const PoolWatch::View& view = deps_.pool_watch.view();
    if (!open_->book.blocked_reason.empty()) return open_->book.blocked_reason;
    if (drain_) return "the verdict is certain; what is under way is waited for";
    if (view.memory_full) return "Redis is at 70 % of its memory limit; no more trials go out";
    if (phase_ == RunPhase::running && deps_.clock.now() - view.last_worker > kWorkerPatience)
        return "no worker is connected; the run waits for one";
    const std::vector<std::string> needs = needs_of(spec_);
    if (auto note = throttle_note(view.limits, view.refusals, accounts_of(needs, providers_)))
        return note;
    if (auto notes = worker_notes(view.workers, needs); !notes.empty()) return notes.front();
    if (auto note = setback_note(open_->book, deps_.clock.now())) return note;
    if (!open_->book.early_stop.note().empty()) return open_->book.early_stop.note();
    return drift_note(open_->book.tally);
}

std::optional<Progress> RunKeeper::progress() const {
    if (!has_looked_) return std::nullopt;
    Progress progress = open_ ? Progress() : last_progress_.value_or(Progress());
    progress.run_id = folder_.run_id();
    progress.name = spec_.name;
    progress.group_id = metadata_.group_id;
    progress.phase = phase_;
    progress.workers = deps_.pool_watch.view().stats.workers;
    progress.elapsed_s =
        std::chrono::duration<double>(ended_.value_or(deps_.clock.now()) - started_).count();
    progress.note = with_damage(find_note());
    progress.release_ready = release_ready_;
    progress.is_undecided = is_undecided_;
    progress.measured = measured_;
    progress.folder = std::filesystem::absolute(folder_.path()).string();
    if (!open_) return progress;
    const RunBook& book = open_->book;
    progress.total = book.ledger.total();
    progress.done = book.ledger.count_done();
    progress.passed = book.tally.count_passed();
    progress.pass_rate_ci95 = book.passes.ci95();
    progress.errors = book.tally.count_errored();
    const std::uint64_t open = progress.total - std::min(progress.total, progress.done);
    const FlowFigures flow = flow_of(deps_.pool_watch.view(), folder_.run_id(), open);
    progress.in_flight = flow.in_flight;
    progress.waiting = flow.waiting;
    progress.retrying = flow.retrying;
    progress.queued = flow.queued;
    progress.trials_per_s = rate_.per_second();
    return progress;
}

std::optional<RunStats> RunKeeper::stats() const {
    if (!has_looked_) return std::nullopt;
    RunStats stats = open_ ? RunStats() : last_stats_.value_or(RunStats());
    stats.run_id = folder_.run_id();
    stats.name = spec_.name;
    stats.phase = phase_;
    stats.release_ready = release_ready_;
    const async::TimePoint now = deps_.clock.now();
    if (ended_) {
        stats.ended =
            deps_.clock.utc_now() -
            std::chrono::duration_cast<std::chrono::system_clock::duration>(now - *ended_);
    }
    if (!open_) return stats;
    const RunBook& book = open_->book;
    stats.total = book.ledger.total();
    stats.done = book.ledger.count_done();
    stats.passed = book.tally.count_passed();
    stats.errors = book.tally.count_errored();
    stats.out = book.window.count_jobs();
    stats.unissued = stats.total - std::min(stats.total, stats.done + stats.out);
    stats.max_in_flight = static_cast<std::uint64_t>(spec_.limits.max_in_flight);
    add_calls(stats, spec_, book.tally);
    stats.epoch = open_->log.epoch();
    stats.model_versions =
        std::max(book.tally.model_versions().size(), book.tally.fingerprints().size());
    if (const auto oldest = book.ages.oldest()) stats.oldest_job_age = now - *oldest;
    return stats;
}

}  // namespace evalfleet::runs
