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

// False: it does not end after all.
asio::awaitable<bool> RunKeeper::end_early() {
    RunBook& book = open_->book;
    auto turn = co_await book.log_turn.acquire();
    if (phase_ != RunPhase::running || !book.may_end_early()) co_return false;
    const std::uint64_t never_wanted = book.ledger.count_excluded();
    const std::uint64_t out = book.window.count_jobs();
    book.ledger.exclude_open();
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
    co_return true;
}

}  // namespace evalfleet::runs
