#include "coordinator/runs/leadership.hpp"

#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kWorthTelling{3};

std::string whom(const std::optional<store::LeaderCard>& card) {
    if (!card) return "another coordinator";
    return "the coordinator of process " + std::to_string(card->process.pid) + " on " +
           card->process.host + " (" + card->address + ")";
}

}  // namespace

Leadership::Leadership(Config config, async::Clock& clock, log::Logger logger)
    : config_(std::move(config)), clock_(clock), logger_(std::move(logger)) {}

bool Leadership::blocking_try() {
    return take(store::StoreLock::blocking_try_take(config_.store, config_.address));
}

bool Leadership::take(Taken taken) {
    if (!taken) throw std::runtime_error(taken.error().message);
    lock_ = std::move(*taken);
    if (!leads()) return false;
    logger_.info("leads the store", {{"epoch", lock_->card().epoch}});
    taken_.notify_all();
    return true;
}

asio::awaitable<void> Leadership::acquire() {
    while (!leads()) {
        auto attempt = [this] {
            return store::StoreLock::blocking_try_take(config_.store, config_.address);
        };
        auto taken = co_await pool_.run(attempt);
        if (take(std::move(taken))) co_return;
        const bool was_seen = watch_.card().has_value();
        co_await look();
        if (!was_seen) logger_.info("standing by", {{"leader", note()}});
        co_await clock_.wait_for(config_.interval);
    }
}

asio::awaitable<void> Leadership::await_lead() {
    while (!leads())
        co_await taken_.wait(clock_);
}

asio::awaitable<void> Leadership::look() {
    auto work = [this] { return store::StoreLock::blocking_look(config_.store); };
    const auto sighting = co_await pool_.run(work);
    if (!sighting) co_return;  // removed just now: the next try makes a new one
    watch_.observe(clock_.now(), *sighting);
    const bool is_silent =
        config_.takeover_after.count() > 0 && watch_.silence() >= config_.takeover_after;
    if (!is_silent || !watch_.card()) co_return;
    auto end = [process = watch_.card()->process] { return store::blocking_end(process); };
    const Status ended = co_await pool_.run(end);
    const std::string blocked_reason = ended ? "" : ended.error().message;
    if (ended)
        logger_.warn("ended a leader that gave no sign of life", {{"leader", note()}});
    else if (blocked_reason != blocked_reason_)
        logger_.error("the leader gives no sign of life and cannot be ended from here",
                      {{"leader", note()}, {"reason", blocked_reason}});
    blocked_reason_ = blocked_reason;
}

asio::awaitable<void> Leadership::hold() {
    for (;;) {
        auto beat = [this] { return lock_->blocking_beat(); };
        const Status beaten = co_await pool_.run(beat);
        if (!beaten && beaten.error().kind == ErrorKind::lease_lost)
            throw Deposed(beaten.error().message);
        if (!beaten) logger_.warn("cannot give a sign of life", {{"error", beaten.error()}});
        co_await clock_.wait_for(config_.interval);
    }
}

std::string Leadership::note() const {
    if (leads()) return "leads the store";
    std::string text = whom(watch_.card()) + " leads this store";
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(watch_.silence());
    if (silent >= kWorthTelling) text += ", silent for " + std::to_string(silent.count()) + " s";
    if (!blocked_reason_.empty()) text += "; it cannot be ended from here: " + blocked_reason_;
    return text;
}

}  // namespace evalfleet::runs
