#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/run_keeper.hpp"

#include <algorithm>
#include <utility>

/// What a run does whose files were damaged or changed.
namespace evalfleet::runs {

namespace asio = boost::asio;

// Told once for each opening; the note stays as long as the run is open.
asio::awaitable<void> RunKeeper::settle_recovery() {
    const store::DurableLog::Recovery& found = open_->log.recovery();
    if (found.cut_bytes > 0)
        logger_.warn("cut a torn end off the log", {{"bytes", found.cut_bytes}});
    if (!found.is_damaged()) co_return;
    deps_.metrics.log_damage.increment(
        static_cast<double>(std::max<std::size_t>(found.damage.size(), 1)));
    logger_.error("the log is damaged",
                  {{"places", found.damage.size()},
                   {"bytes", found.count_damaged_bytes()},
                   {"missing_bytes", found.missing_bytes},
                   {"kept_in", (folder_.log().parent_path() / "damaged").string()}});
    // Its files were being written; now records are missing again.
    if (phase_ != RunPhase::finishing || open_->book.ledger.is_complete()) co_return;
    metadata_.incomplete_reason.reset();
    const Status back = co_await set_phase_with_retry(RunPhase::running);
    if (!back) throw std::runtime_error(back.error().message);
}

// Throws LogBroken if records are lost: then that is why a step failed.
asio::awaitable<void> RunKeeper::require_sound_log() {
    auto look = [this] { return open_->log.blocking_is_sound(); };
    const auto sound = co_await deps_.heavy.run(whole_run(), look);
    if (sound && !*sound) throw LogBroken(folder_.log().string() + ": records in it are damaged");
}

// What was sent is what run.json names: each line is compared when it is read, and at the end the
// whole file.
Status RunKeeper::blocking_check_dataset() const {
    if (phase_ == RunPhase::cancelling) return {};
    const bool is_labelled = metadata_.evaluator_labels_hash.has_value();
    return store::RunFolder::blocking_check_copy(folder_.dataset(),
                                                 is_labelled ? "" : metadata_.dataset_hash);
}

asio::awaitable<void> RunKeeper::give_log_back(std::string why) {
    logger_.error("opens the log anew", {{"reason", why}});
    blocked_reason_ = std::move(why);
    let_go();  // and its lock
    must_reopen_ = true;
    co_await deps_.clock.wait_for(std::chrono::seconds(1));
}

std::optional<std::string> RunKeeper::with_damage(std::optional<std::string> note) const {
    if (!open_ || open_->book.log_damage.empty()) return note;
    const std::string& damage = open_->book.log_damage;
    if (!note || note->empty()) return damage;
    if (note->find(damage) != std::string::npos) return note;
    return *note + "; " + damage;
}

}  // namespace evalfleet::runs
