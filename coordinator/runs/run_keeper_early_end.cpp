#include "coordinator/runs/finisher.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/pool_share.hpp"
#include "coordinator/runs/redis_backoff.hpp"
#include "coordinator/runs/run_keeper.hpp"

#include <algorithm>
#include <utility>

/// How a run ends although trials are missing: its verdict is certain, or its budget is used up.
/// Trials are taken out by who holds the log's turn: none of them is on its way into the log then.
namespace evalfleet::runs {

namespace asio = boost::asio;

/// The budget that does not allow one more trial, once everything that went out is in the log.
std::optional<std::string> RunKeeper::find_used_up_budget() const {
    const PoolWatch::View& view = deps_.pool_watch.view();
    if (phase_ != RunPhase::running || !view.reachable) return std::nullopt;
    for (const queue::RunStats& stats : view.stats.runs) {
        const bool is_over = !stats.ended.empty() && stats.leased == 0 && stats.results == 0;
        if (is_over && stats.run == folder_.run_id()) return stats.ended;
    }
    return std::nullopt;
}

asio::awaitable<void> RunKeeper::leave_out_the_rest(std::string why) {
    const auto turn = co_await open_->book.log_turn.acquire();
    Ledger& ledger = open_->book.ledger;
    logger_.warn("run ends early", {{"reason", why}, {"done", ledger.count_done()}});
    ledger.exclude_open();
    metadata_.incomplete_reason = std::move(why);
}

// Whether it ended. Slow calls are the last to come back, and without them the figures would be
// those of the fast ones: so nothing new begins first, and what is under way is waited for.
asio::awaitable<bool> RunKeeper::end_if_certain() {
    RunBook& book = open_->book;
    if (phase_ != RunPhase::running || !book.gates || book.ledger.has_everything()) {
        drain_.reset();  // who changed the phase told Redis
        co_return false;
    }
    if (drain_) co_return co_await end_if_drained();
    const bool had_note = !book.early_stop.note().empty();
    const bool is_wanted = book.early_stop.wants_summary(*book.gates);
    if (!had_note && !book.early_stop.note().empty())
        logger_.warn("not ended early", {{"reason", book.early_stop.note()}});
    if (!is_wanted) co_return false;
    auto turn = co_await book.log_turn.acquire();
    const bool agrees = co_await ask_summary();
    turn = {};
    if (agrees) co_await begin_drain();
    co_return false;
}

// Whether the summary of what is there has the verdict that is certain. Asked by who has the turn
// at the log, so that nothing comes in between.
asio::awaitable<bool> RunKeeper::ask_summary() {
    RunBook& book = open_->book;
    auto summarise = [this](const std::stop_token& stop) {
        return blocking_summarise(folder_, open_->log, open_->book, metadata_, stop);
    };
    const auto summary = co_await deps_.heavy.run(whole_run(), summarise);
    if (!summary) {
        // A full disk, say: the run goes on, and asks again.
        logger_.warn("cannot look at what is there", {{"error", summary.error()}});
        co_return false;
    }
    // The run may have been paused, or its trials opened again, meanwhile.
    if (phase_ != RunPhase::running || !book.gates) co_return false;
    if (book.early_stop.may_end(*book.gates, *summary)) co_return true;
    logger_.info("not ended early", {{"reason", book.early_stop.note()}});
    co_return false;
}

asio::awaitable<void> RunKeeper::begin_drain() {
    const auto paused =
        co_await open_->queue->set_state(queue::RunState::paused, deps_.clock.now() + kCallTimeout);
    if (!paused) {
        co_await backoff(deps_.clock, open_->book, logger_, "pause", paused.error());
        co_return;
    }
    // A call of the model and one of the judge. What hangs longer is left out.
    constexpr std::chrono::seconds kOnTheWay{30};
    drain_ = Drain{deps_.clock.now() + 2 * spec_.limits.timeout + kOnTheWay,
                   deps_.pool_watch.view().looks};
    logger_.info("the verdict is certain; what is under way is waited for",
                 {{"samples", open_->book.gates->count_samples()}});
}

asio::awaitable<bool> RunKeeper::end_if_drained() {
    const PoolWatch::View& view = deps_.pool_watch.view();
    // The first look after the drain began may have begun before.
    const bool is_home = view.reachable && view.looks > drain_->looks + 1 &&
                         is_drained(view.stats, folder_.run_id());
    if (!is_home && deps_.clock.now() < drain_->until) co_return false;
    auto turn = co_await open_->book.log_turn.acquire();
    const bool agrees = co_await ask_summary();
    drain_.reset();
    if (agrees) {
        co_await leave_out_what_is_not_needed(std::move(turn));
        co_return true;
    }
    turn = {};
    if (phase_ != RunPhase::running) co_return false;
    const auto resumed = co_await open_->queue->set_state(queue::RunState::running,
                                                          deps_.clock.now() + kCallTimeout);
    if (!resumed) open_->book.audit_wanted = true;  // which tells Redis
    co_return false;
}

asio::awaitable<void> RunKeeper::leave_out_what_is_not_needed(async::Semaphore::Permit turn) {
    RunBook& book = open_->book;
    const std::uint64_t never_wanted = book.ledger.count_excluded();
    const std::uint64_t out = book.window.count_jobs();
    book.ledger.exclude_open();
    book.has_ended_early = true;
    turn = {};
    const std::uint64_t left_out = book.ledger.count_excluded() - never_wanted;
    // What is out may have been called, but for what waits in Redis until now. Best effort: what
    // workers still send is dropped.
    const auto waiting = co_await open_->queue->set_state(queue::RunState::cancelled,
                                                          deps_.clock.now() + kCallTimeout);
    book.spared = left_out - std::min(left_out, out) + std::min(out, waiting ? *waiting : 0);
    logger_.info("the verdict is certain", {{"samples", book.gates->count_samples()},
                                            {"trials_left_out", left_out},
                                            {"trials_spared", *book.spared}});
}

}  // namespace evalfleet::runs
