#include "coordinator/runs/finisher.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/redis_patience.hpp"
#include "coordinator/runs/run_keeper.hpp"

namespace evalfleet::runs {

namespace asio = boost::asio;

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
    const auto turn = co_await book.log_turn.acquire();
    auto summarise = [this] {
        return blocking_summarise(folder_, open_->log, open_->book, metadata_);
    };
    const auto summary = co_await around_.pool.run(summarise);
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
    leave_out_what_is_not_needed();
    co_return true;
}

void RunKeeper::leave_out_what_is_not_needed() {
    RunBook& book = open_->book;
    for (auto open = book.ledger.next_open(0); open; open = book.ledger.next_open(*open))
        book.ledger.exclude(*open);
    book.has_ended_early = true;
    logger_.info("the verdict is certain", {{"samples", book.gates->count_samples()},
                                            {"trials_left_out", book.ledger.count_excluded()}});
}

}  // namespace evalfleet::runs
