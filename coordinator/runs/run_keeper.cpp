#include "coordinator/runs/run_keeper.hpp"

#include "common/async/run_all.hpp"
#include "common/files/file.hpp"
#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "coordinator/runs/feeder.hpp"
#include "coordinator/runs/finisher.hpp"
#include "coordinator/runs/redis_patience.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{16} * 1024 * 1024;
constexpr std::chrono::seconds kCancelGrace{15};
constexpr std::chrono::seconds kWorkerPatience{5};  // before it is said that there is no worker

Status to_status(const Error& error) {
    return error;
}

// A level of priority is worth a factor of two in the share of the workers.
double share_of(std::int64_t priority) {
    return std::exp2(static_cast<double>(priority - 5));
}

std::optional<job::Sample> blocking_read_sample(const runfile::Dataset& dataset,
                                                std::uint64_t sample_index) {
    const auto line = dataset.blocking_read_line(sample_index);
    if (!line) return std::nullopt;
    const auto document = json::Document::parse(*line);
    if (!document) return std::nullopt;
    auto sample = job::read_sample(document->root(), sample_index + 1);
    if (!sample) return std::nullopt;
    return std::move(*sample);
}

}  // namespace

struct RunKeeper::Open {
    Open(runfile::Dataset dataset_, std::uint64_t total, Window::Limits limits, Intake::Terms terms)
        : dataset(std::move(dataset_)), book(total, limits), intake(std::move(terms)) {}

    runfile::Dataset dataset;
    RunBook book;
    Intake intake;
    store::DurableLog log;
    std::optional<queue::RunQueue> queue;
};

RunKeeper::RunKeeper(Surroundings surroundings, store::RunFolder folder)
    : around_(std::move(surroundings)),
      folder_(std::move(folder)),
      logger_(around_.logger.with("run", {{"run", folder_.run_id()}})),
      started_(around_.clock.now()) {}

RunKeeper::~RunKeeper() = default;

asio::awaitable<void> RunKeeper::run() {
    const Status opened = co_await open();
    if (!opened) {
        fail(opened.error().message);
        co_return;
    }
    try {
        co_await work();
    } catch (const Overtaken& overtaken) {
        // The run goes on elsewhere: its phase on disk is not ours to change.
        failure_ = overtaken.what();
        phase_ = RunPhase::failed;
        logger_.error("gave the run up", {{"reason", overtaken.what()}});
    }
    ended_ = around_.clock.now();
}

asio::awaitable<Status> RunKeeper::open() {
    auto work = [this] { return blocking_open(); };
    co_return co_await around_.pool.run(work);
}

Status RunKeeper::blocking_open() {
    const auto phase_name = folder_.blocking_read_phase();
    if (!phase_name) return to_status(phase_name.error());
    const auto phase = parse_run_phase(*phase_name);
    if (!phase) return Error{ErrorKind::invalid, "its phase on disk is '" + *phase_name + "'"};
    auto metadata_json = files::blocking_read_file(folder_.file("run.json"), kMaxFileBytes);
    if (!metadata_json) return to_status(metadata_json.error());
    auto metadata = job::parse_run_metadata(*metadata_json);
    if (!metadata) return to_status(metadata.error().within(folder_.file("run.json").string()));
    auto spec_json = files::blocking_read_file(folder_.spec(), kMaxFileBytes);
    if (!spec_json) return to_status(spec_json.error());
    auto spec = job::parse_run_spec(*spec_json);
    if (!spec) return to_status(spec.error().within(folder_.spec().string()));
    auto dataset = runfile::Dataset::blocking_open(folder_.dataset());
    if (!dataset) return to_status(dataset.error());
    if (dataset->sha256() != metadata->dataset_hash) {
        return Error{ErrorKind::invalid,
                     folder_.dataset().string() + ": was changed after the run was submitted"};
    }
    const auto repeats = static_cast<std::uint64_t>(spec->repeats);
    const std::uint64_t total = dataset->size() * repeats;
    auto open =
        std::make_unique<Open>(std::move(*dataset), total, around_.window,
                               Intake::Terms{metadata->run_id, repeats, total, metadata->policy});
    auto log = store::DurableLog::blocking_open(
        folder_.log(), [&](const store::Entry& record, std::uint64_t offset) {
            if (!open->book.ledger.mark(record.number, offset)) return;
            if (const auto trial = open->intake.recount(record.bytes)) open->book.tally.add(*trial);
        });
    if (!log) return to_status(log.error());
    open->log = std::move(*log);
    open->queue.emplace(around_.client, around_.functions, around_.keys, metadata->run_id,
                        open->log.epoch());
    metadata_ = std::move(*metadata);
    spec_ = std::move(*spec);
    spec_json_ = std::move(*spec_json);
    phase_ = *phase;
    open_ = std::move(open);
    return {};
}

queue::RunTerms RunKeeper::make_terms() const {
    queue::RunTerms terms;
    terms.share = share_of(spec_.priority);
    terms.spec = spec_json_;
    if (phase_ == RunPhase::paused) terms.state = queue::RunState::paused;
    if (phase_ == RunPhase::cancelling) terms.state = queue::RunState::cancelled;
    return terms;
}

asio::awaitable<void> RunKeeper::work() {
    if (open_->log.recovery().cut_bytes > 0) {
        logger_.warn("cut a torn end off the log", {{"bytes", open_->log.recovery().cut_bytes}});
    }
    logger_.info("run opened", {{"total", open_->book.ledger.total()},
                                {"done", open_->book.ledger.count_done()},
                                {"epoch", open_->log.epoch()}});
    RunBook& book = open_->book;
    if (phase_ == RunPhase::queued) co_await go_to(RunPhase::running);
    book.phase = phase_;
    // Results may have come while nobody was here: they are brought home before anything goes out.
    book.audit_wanted = open_->log.epoch() > 1;
    const auto executor = co_await asio::this_coro::executor;
    redis::Client blocking(executor, around_.clock, around_.blocking_config);
    const auto& dataset = open_->dataset;
    Feeder feeder(
        {.repeats = static_cast<std::uint64_t>(spec_.repeats)}, book, *open_->queue, around_.pool,
        [&dataset](std::uint64_t index) { return dataset.blocking_read_line(index); },
        around_.metrics, around_.clock, logger_.with("feeder"));
    Collector collector(
        around_.collect, book, *open_->queue, blocking, open_->log, open_->intake,
        [&dataset](std::uint64_t index) { return blocking_read_sample(dataset, index); },
        around_.pool, around_.metrics, around_.clock, logger_.with("collector"));
    Auditor auditor(
        around_.audit, book, *open_->queue, around_.client, [this] { return make_terms(); },
        around_.metrics, around_.clock, logger_.with("auditor"));
    if (phase_ != RunPhase::finishing && !book.ledger.is_complete()) {
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
            co_await open_->queue->own(make_terms(), around_.clock.now() + kCallTimeout);
        if (owned) co_return;
        co_await be_patient(around_.clock, open_->book, logger_, "own", owned.error());
    }
}

asio::awaitable<void> RunKeeper::watch_for_end() {
    RunBook& book = open_->book;
    std::optional<async::TimePoint> give_up;
    for (;;) {
        const async::TimePoint now = around_.clock.now();
        rate_.observe(now, book.ledger.count_done());
        book.redis_memory_full = around_.pool_watch.view().memory_full;
        if (book.ledger.is_complete()) co_return;
        if (phase_ == RunPhase::cancelling) {
            if (!give_up) give_up = now + kCancelGrace;
            const bool drained =
                around_.pool_watch.view().reachable && around_.pool_watch.view().stats.leased == 0;
            if (drained || now >= *give_up) co_return;
        }
        co_await book.changed.wait(around_.clock, now + std::chrono::milliseconds(500));
    }
}

asio::awaitable<void> RunKeeper::finish() {
    const bool is_complete = open_->book.ledger.is_complete();
    if (is_complete && phase_ != RunPhase::finishing && phase_ != RunPhase::cancelling)
        co_await go_to(RunPhase::finishing);
    auto work = [this] { return blocking_finish(folder_, open_->log, open_->book, metadata_); };
    const auto summary = co_await around_.pool.run(work);
    if (!summary) {
        fail("the run's files could not be written: " + summary.error().message);
        co_return;
    }
    release_ready_ = is_complete && summary->release_ready;
    const RunPhase last = phase_ == RunPhase::cancelling ? RunPhase::cancelled : RunPhase::done;
    const auto gone = co_await go_to(last);
    if (!gone) {
        fail(gone.error().message);
        co_return;
    }
    logger_.info("run over", {{"state", to_string(last)}, {"release_ready", *release_ready_}});
    // Best effort: a run that Redis keeps is found over by the next coordinator and dropped.
    (void)co_await open_->queue->set_state(queue::RunState::done,
                                           around_.clock.now() + kCallTimeout);
    auto clean_up = [this] { return folder_.blocking_drop_work(); };
    (void)co_await around_.pool.run(clean_up);
}

asio::awaitable<Status> RunKeeper::go_to(RunPhase phase) {
    if (!may_become(phase_, phase)) {
        co_return Error{ErrorKind::denied, "a run that is " + std::string(to_string(phase_)) +
                                               " cannot become " + std::string(to_string(phase))};
    }
    auto write = [this, phase] { return folder_.blocking_write_phase(to_string(phase)); };
    const Status written = co_await around_.pool.run(write);
    if (!written) co_return written;
    phase_ = phase;
    if (open_) {
        open_->book.phase = phase;
        open_->book.changed.notify_all();
    }
    co_return Status();
}

asio::awaitable<Status> RunKeeper::change(RunPhase phase, queue::RunState state) {
    const Status gone = co_await go_to(phase);
    if (!gone || !open_ || !open_->queue) co_return gone;
    const auto told = co_await open_->queue->set_state(state, around_.clock.now() + kCallTimeout);
    // The phase is durable; Redis learns of it from the audit if it is away now.
    if (!told) open_->book.audit_wanted = true;
    co_return Status();
}

asio::awaitable<Status> RunKeeper::pause() {
    return change(RunPhase::paused, queue::RunState::paused);
}

asio::awaitable<Status> RunKeeper::resume() {
    return change(RunPhase::running, queue::RunState::running);
}

asio::awaitable<Status> RunKeeper::cancel() {
    return change(RunPhase::cancelling, queue::RunState::cancelled);
}

void RunKeeper::fail(std::string why) {
    logger_.error("run failed", {{"reason", why}});
    failure_ = std::move(why);
    phase_ = RunPhase::failed;
}

std::optional<std::string> RunKeeper::find_note() const {
    if (failure_) return failure_;
    if (is_over(phase_) || !open_) return std::nullopt;
    const PoolWatch::View& view = around_.pool_watch.view();
    if (!open_->book.obstacle.empty()) return open_->book.obstacle;
    if (view.memory_full) return "Redis is at 70 % of its memory limit; no more trials go out";
    if (phase_ == RunPhase::running && around_.clock.now() - view.last_worker > kWorkerPatience)
        return "no worker is connected; the run waits for one";
    return std::nullopt;
}

Progress RunKeeper::progress() const {
    Progress progress;
    progress.run_id = folder_.run_id();
    progress.name = spec_.name;
    progress.group_id = metadata_.group_id;
    progress.phase = phase_;
    progress.workers = around_.pool_watch.view().stats.workers;
    progress.elapsed_s =
        std::chrono::duration<double>(ended_.value_or(around_.clock.now()) - started_).count();
    progress.note = find_note();
    progress.release_ready = release_ready_;
    progress.folder = std::filesystem::absolute(folder_.path()).string();
    if (!open_) return progress;
    const RunBook& book = open_->book;
    progress.total = book.ledger.total();
    progress.done = book.ledger.count_done();
    progress.passed = book.tally.count_passed();
    progress.errors = book.tally.count_errored();
    progress.in_flight = book.window.count_jobs();
    progress.trials_per_s = rate_.per_second();
    return progress;
}

RunFigures RunKeeper::figures() const {
    RunFigures figures;
    figures.run_id = folder_.run_id();
    figures.name = spec_.name;
    figures.phase = phase_;
    figures.release_ready = release_ready_;
    const async::TimePoint now = around_.clock.now();
    if (ended_) {
        figures.ended =
            around_.clock.utc_now() -
            std::chrono::duration_cast<std::chrono::system_clock::duration>(now - *ended_);
    }
    if (!open_) return figures;
    const RunBook& book = open_->book;
    figures.total = book.ledger.total();
    figures.done = book.ledger.count_done();
    figures.passed = book.tally.count_passed();
    figures.errors = book.tally.count_errored();
    figures.out = book.window.count_jobs();
    figures.unissued = figures.total - std::min(figures.total, figures.done + figures.out);
    figures.epoch = open_->log.epoch();
    figures.model_versions = book.tally.model_versions().size();
    if (const auto oldest = book.ages.oldest()) figures.oldest_job_age = now - *oldest;
    return figures;
}

}  // namespace evalfleet::runs
