#include "common/queue/run_claim.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/redis_backoff.hpp"
#include "coordinator/runs/run_keeper.hpp"
#include "coordinator/store/log_epoch.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

/// How a run's keeper ends: by itself, by whatever goes wrong, or because somebody wants it.
namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kCancelGrace{15};
constexpr int kTriesToNote = 3;
constexpr std::chrono::seconds kNoteInterval{10};
// So long a run that is over may still be at work in its folder.
constexpr std::chrono::seconds kTidyTime{10};
constexpr std::chrono::milliseconds kTidyStep{20};

std::string reason_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        return "the coordinator has not enough memory for it";
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an unknown exception";
    }
}

}  // namespace

asio::awaitable<void> RunKeeper::run() {
    for (;;) {
        co_await attempt();
        if (std::exchange(must_reopen_, false)) continue;
        if (phase_ != RunPhase::failed) co_return;
        co_await await_resumption();
        if (has_left_) co_return;
    }
}

asio::awaitable<void> RunKeeper::attempt() {
    std::exception_ptr thrown;
    try {
        is_given_up_ = false;
        give_up_.reset();
        co_await open_and_work();
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    // The coordinator stops: the next keeper goes on.
    if (thrown && state.cancelled() != asio::cancellation_type::none)
        std::rethrow_exception(thrown);
    if (thrown) co_await end_by(std::move(thrown));
    if (must_reopen_) co_return;
    if (!ended_) ended_ = deps_.clock.now();
    if (open_) let_go();
}

asio::awaitable<void> RunKeeper::open_and_work() {
    const Status opened = co_await open();
    if (!opened) co_return co_await fail(opened.error().message);
    if (phase_ == RunPhase::failed) co_return;
    co_await work();
}

asio::awaitable<void> RunKeeper::end_by(std::exception_ptr thrown) {
    std::string lost;
    try {
        std::rethrow_exception(thrown);
    } catch (const Fenced& fenced) {
        // The run goes on elsewhere: its phase on disk is not ours to change.
        logger_.error("gave the run up", {{"reason", fenced.what()}});
        is_fenced_ = true;
        phase_note_ = fenced.what();
        phase_ = RunPhase::failed;
        co_return;
    } catch (const LogBroken& broken) {
        lost = broken.what();
    } catch (...) {
        // see below
    }
    if (!lost.empty()) co_return co_await give_log_back(std::move(lost));
    co_await fail(reason_of(thrown));
}

// What only work needs is given back, above all the log with its lock: a service keeps thousands of
// runs that are over, and one that failed may be opened again.
void RunKeeper::let_go() {
    last_progress_ = progress();
    last_stats_ = stats();
    if (last_progress_) {
        last_progress_->in_flight = last_progress_->waiting = last_progress_->retrying = 0;
        last_progress_->queued = last_progress_->total - last_progress_->done;
    }
    if (last_stats_) {
        last_stats_->out = 0;
        last_stats_->unissued = last_stats_->total - last_stats_->done;
        last_stats_->oldest_job_age = {};
    }
    open_.reset();
}

asio::awaitable<Status> RunKeeper::note_failed(std::string why) {
    try {
        co_return co_await set_phase(RunPhase::failed, std::move(why));
    } catch (const std::bad_alloc&) {
        co_return Error{ErrorKind::transient, "there is no memory"};
    }
}

// Durable if the disk allows it. If not, it is said all the same, and noted later: nothing goes on
// that has failed.
asio::awaitable<void> RunKeeper::fail(std::string why) {
    logger_.error("run failed", {{"reason", why}});
    why = with_damage(store::RunFolder::shorten_note(why)).value_or("");
    if (open_) let_go();
    for (int tries = 0; tries < kTriesToNote; ++tries) {
        const Status gone = co_await note_failed(why);
        if (gone || !is_retryable(gone.error().kind)) break;
        logger_.error("cannot write the run's state", {{"error", gone.error()}});
        blocked_reason_ = why + "; that cannot be written down: " + gone.error().message;
        co_await deps_.clock.wait_for(std::chrono::seconds(1));
    }
    is_noted_ = phase_ == RunPhase::failed;
    has_looked_ = true;
    blocked_reason_.clear();
    phase_ = RunPhase::failed;
    phase_note_ = std::move(why);
    ended_ = deps_.clock.now();
}

asio::awaitable<void> RunKeeper::await_resumption() {
    if (on_failed_) on_failed_();
    while (phase_ == RunPhase::failed && !has_left_) {
        const bool was_noted = is_noted_;
        if (!was_noted) is_noted_ = (co_await note_failed(phase_note_)).has_value();
        if (is_noted_ != was_noted) continue;
        const auto until = is_noted_ ? std::chrono::seconds(60) : kNoteInterval;
        co_await resumed_.wait(deps_.clock, deps_.clock.now() + until);
    }
}

// Whoever cancels a run does not want to wait for long, whatever is in its way.
bool RunKeeper::has_waited_enough() {
    if (phase_ != RunPhase::cancelling) return false;
    const async::TimePoint now = deps_.clock.now();
    if (!give_up_) give_up_ = now + kCancelGrace;
    return now >= *give_up_;
}

asio::awaitable<Status> RunKeeper::cancel() {
    if (is_fenced_) co_return Error{ErrorKind::denied, phase_note_};
    const bool is_ending = phase_ == RunPhase::finishing || phase_ == RunPhase::cancelling;
    if (is_ending && !blocked_reason_.empty()) {
        is_given_up_ = true;  // it fails with what is in its way
        co_return Status();
    }
    const bool had_failed = phase_ == RunPhase::failed;
    const Status changed = co_await change(RunPhase::cancelling, queue::RunState::cancelled, "");
    if (!changed || !had_failed) co_return changed;
    ended_.reset();
    resumed_.notify_all();
    co_return Status();
}

asio::awaitable<Status> RunKeeper::retire() {
    const async::TimePoint latest = deps_.clock.now() + kTidyTime;
    while (is_over(phase_) && !is_settled() && deps_.clock.now() < latest)
        co_await deps_.clock.wait_for(kTidyStep);
    const auto permit = co_await changing_.acquire();
    if (!is_settled()) {
        co_return Error{ErrorKind::denied,
                        "the run is " + std::string(to_string(phase_)) + "; cancel it first"};
    }
    is_retired_ = true;
    co_return Status();
}

// The log must be ahead of whoever owned the run last. What it is on disk is read anew.
asio::awaitable<Status> RunKeeper::take_back() {
    const auto permit = co_await changing_.acquire();
    if (is_retired_) co_return Error{ErrorKind::denied, "the run is being removed"};
    const auto claim = co_await queue::read_claim(deps_.client, deps_.keys, folder_.run_id(),
                                                  deps_.clock.now() + kCallTimeout);
    if (!claim) co_return claim.error();
    if (!claim->owner.empty() && claim->owner != deps_.store_id)
        co_return Error{ErrorKind::denied, "Redis says that another store has the run"};
    auto raise = [this, epoch = claim->epoch]() -> Status {
        store::LogEpoch known =
            store::blocking_read_epoch(folder_.log()).value_or(store::LogEpoch());
        if (known.epoch >= epoch) return {};
        known.epoch = epoch;
        return store::blocking_write_epoch(folder_.log(), known);
    };
    if (const Status raised = co_await deps_.durable.run(raise); !raised) co_return raised;
    if (!std::exchange(is_fenced_, false)) co_return Status();
    phase_ = RunPhase::queued;
    phase_note_.clear();
    ended_.reset();
    resumed_.notify_all();
    co_return Status();
}

void RunKeeper::leave() {
    has_left_ = true;
    resumed_.notify_all();
}

Standing RunKeeper::standing() const noexcept {
    if (!has_looked_) return Standing::going;
    if (is_fenced_) return Standing::elsewhere;
    return standing_of(phase_, open_ && open_->book.has_ended_early);
}

}  // namespace evalfleet::runs
