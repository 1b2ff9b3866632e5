#include "coordinator/runs/finisher.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/redis_patience.hpp"
#include "coordinator/runs/run_keeper.hpp"

#include <algorithm>
#include <utility>

/// How a run ends although trials are missing: its verdict is certain, or its budget is used up.
/// Trials are taken out by who holds the log's turn: none of them is on its way into the log then.
namespace evalfleet::runs {

namespace asio = boost::asio;

/// The budget that does not allow one more trial, once everything that went out is in the log.
std::optional<std::string> RunKeeper::find_used_up_budget() const {
    const PoolWatch::View& view = around_.pool_watch.view();
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

// Whether it ended. Nothing comes in between the summary that is asked and the end: both have one
// turn at the log.
asio::awaitable<bool> RunKeeper::end_if_certain() {
    RunBook& book = open_->book;
    if (phase_ != RunPhase::running || !book.gates || book.ledger.has_everything()) co_return false;
    const bool had_note = !book.early_stop.note().empty();
    const bool is_wanted = book.early_stop.wants_summary(*book.gates);
    if (!had_note && !book.early_stop.note().empty())
        logger_.warn("not ended early", {{"reason", book.early_stop.note()}});
    if (!is_wanted) co_return false;
    auto turn = co_await book.log_turn.acquire();
    auto summarise = [this](const std::stop_token& stop) {
        return blocking_summarise(folder_, open_->log, open_->book, metadata_, stop);
    };
    const auto summary = co_await around_.heavy.run(whole_run(), summarise);
    if (!summary) {
        // A full disk, say: the run goes on, and asks again.
        logger_.warn("cannot look at what is there", {{"error", summary.error()}});
        co_return false;
    }
    // The run may have been paused, or its trials opened again, meanwhile.
    if (phase_ != RunPhase::running || !book.gates) co_return false;
    if (!book.early_stop.may_end(*book.gates, *summary)) {
        logger_.info("not ended early", {{"reason", book.early_stop.note()}});
        co_return false;
    }
    co_await leave_out_what_is_not_needed(std::move(turn));
    co_return true;
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
                                                          around_.clock.now() + kCallTimeout);
    book.spared = left_out - std::min(left_out, out) + std::min(out, waiting ? *waiting : 0);
    logger_.info("the verdict is certain", {{"samples", book.gates->count_samples()},
                                            {"trials_left_out", left_out},
                                            {"trials_spared", *book.spared}});
}

}  // namespace evalfleet::runs
