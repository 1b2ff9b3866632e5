#include "common/async/fair_turns.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <tuple>
#include <utility>

namespace evalfleet::async {

namespace asio = boost::asio;

FairTurns::Turn::Turn(Turn&& other) noexcept
    : turns_(std::exchange(other.turns_, nullptr)), claim_(std::move(other.claim_)) {}

FairTurns::Turn& FairTurns::Turn::operator=(Turn&& other) noexcept {
    std::swap(turns_, other.turns_);
    std::swap(claim_, other.claim_);
    return *this;
}

FairTurns::Turn::~Turn() {
    if (turns_ != nullptr) turns_->release(claim_);
}

asio::awaitable<FairTurns::Turn> FairTurns::acquire(TurnClaim claim) {
    const auto executor = co_await asio::this_coro::executor;
    Waiting waiting{std::move(claim), std::make_shared<Waiter>(executor)};
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(&waiting);
        ++owners_[waiting.claim.owner].waiting;
        hand_out();
        if (waiting.granted) co_return Turn(*this, waiting.claim);
    }
    co_await waiting.waiter->wait();
    const std::lock_guard lock(mutex_);
    // A turn that was granted just before a cancellation is ours to give back.
    if (waiting.granted) co_return Turn(*this, waiting.claim);
    queue_.remove(&waiting);
    --owners_[waiting.claim.owner].waiting;
    forget_if_idle(waiting.claim.owner);
    throw boost::system::system_error(asio::error::operation_aborted);
}

void FairTurns::release(const TurnClaim& claim) noexcept {
    const std::lock_guard lock(mutex_);
    --under_way_;
    if (claim.is_large) --large_under_way_;
    --owners_[claim.owner].under_way;
    hand_out();
    forget_if_idle(claim.owner);
}

void FairTurns::hand_out() {
    for (auto next = find_next(); next != queue_.end(); next = find_next()) {
        Waiting& granted = **next;
        queue_.erase(next);
        begin(granted.claim);
        granted.granted = true;
        granted.waiter->wake();
    }
}

std::list<FairTurns::Waiting*>::iterator FairTurns::find_next() {
    if (under_way_ >= config_.at_once) return queue_.end();
    const bool takes_large = large_under_way_ < config_.large_at_once;
    const auto rank = [this](const Waiting& waiting) {
        const Owner& owner = owners_[waiting.claim.owner];
        return std::tuple(owner.under_way, owner.last_turn);
    };
    auto best = queue_.end();
    for (auto each = queue_.begin(); each != queue_.end(); ++each) {
        if ((*each)->claim.is_large && !takes_large) continue;
        if (best == queue_.end() || rank(**each) < rank(**best)) best = each;
    }
    return best;
}

void FairTurns::begin(const TurnClaim& claim) {
    ++under_way_;
    if (claim.is_large) ++large_under_way_;
    Owner& owner = owners_[claim.owner];
    --owner.waiting;
    ++owner.under_way;
    owner.last_turn = ++turns_given_;
}

void FairTurns::forget_if_idle(const std::string& owner) {
    const auto found = owners_.find(owner);
    if (found == owners_.end()) return;
    if (found->second.under_way == 0 && found->second.waiting == 0) owners_.erase(found);
}

}  // namespace evalfleet::async
