#include "worker/permits/permit_desk.hpp"

#include <utility>

namespace evalfleet::worker {

using async::TimePoint;

/// Starts who may start, and wakes the one who talks to Redis if there is something to say sooner
/// than it thinks. Under the lock.
void PermitDesk::act(TimePoint now) {
    for (PermitBook::Start& start : book_.serve(now)) {
        const auto found = claims_.find(start.ticket);
        PermitClaim& claim = *found->second;
        claims_.erase(found);
        claim.start = std::move(start);
        claim.waiter->wake();
    }
    if (sleeper_ && book_.due(now) < sleeps_until_) {
        sleeper_->wake();
        sleeper_.reset();
    }
}

bool PermitDesk::enter(PermitClaim& claim, const CallNeeds& needs, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const TokenGuess& guess = guesses_[static_cast<std::size_t>(needs.purpose)];
    claim.ticket = ++last_ticket_;
    claims_.emplace(claim.ticket, &claim);
    book_.enter(claim.ticket, guess.guess(needs.prompt_bytes, needs.max_output_tokens),
                needs.rank());
    act(now);
    claim.waits_for_room = !claim.start && book_.is_full();
    return claim.start.has_value();
}

std::optional<PermitBook::Start> PermitDesk::leave(PermitClaim& claim) {
    const std::lock_guard lock(mutex_);
    if (claim.start) return claim.start;
    claims_.erase(claim.ticket);
    book_.withdraw(claim.ticket);
    return std::nullopt;
}

void PermitDesk::end(const std::optional<Charge>& charge, const CallEnd& end, TimePoint now) {
    const std::lock_guard lock(mutex_);
    book_.end(charge, end, now);
    act(now);
}

void PermitDesk::correct(const std::optional<Charge>& charge, CallPurpose purpose,
                         std::int64_t input, std::int64_t output) {
    const std::lock_guard lock(mutex_);
    guesses_[static_cast<std::size_t>(purpose)].learn(output);
    if (charge) book_.correct(*charge, input + output);
}

PermitDesk::Turn PermitDesk::next_turn(const std::shared_ptr<async::Waiter>& sleeper,
                                       TimePoint now) {
    const std::lock_guard lock(mutex_);
    sleeper_.reset();
    act(now);
    Turn turn{book_.next_ask(now), async::kNever};
    if (turn.ask) return turn;
    turn.due = book_.due(now);
    sleeper_ = sleeper;
    sleeps_until_ = turn.due;
    return turn;
}

void PermitDesk::answered(const queue::PermitAnswer& answer, TimePoint asked, TimePoint now,
                          double random) {
    const std::lock_guard lock(mutex_);
    book_.answered(answer, asked, now, random);
    act(now);
}

void PermitDesk::failed(TimePoint now) {
    const std::lock_guard lock(mutex_);
    book_.failed(now);
}

void PermitDesk::close(TimePoint now) {
    const std::lock_guard lock(mutex_);
    book_.close(now);
    act(now);
}

PermitDesk::View PermitDesk::view(TimePoint now) const {
    const std::lock_guard lock(mutex_);
    return {book_.count_running(),
            book_.count_waiting(),
            book_.fleet_limit(),
            book_.fleet_rate(),
            book_.paused_for(now),
            book_.is_cut_off(now),
            book_.due(now) == async::kNever && !book_.is_asking()};
}

std::string PermitDesk::take_news() {
    const std::lock_guard lock(mutex_);
    return book_.take_news();
}

}  // namespace evalfleet::worker
