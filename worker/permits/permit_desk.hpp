#pragma once

#include "common/async/waiter.hpp"
#include "worker/permits/permit_book.hpp"
#include "worker/permits/token_guess.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace evalfleet::worker {

/// What a call is going to need.
struct CallNeeds {
    std::size_t prompt_bytes = 0;
    std::int64_t max_output_tokens = 0;
    CallPurpose purpose = CallPurpose::answer;
    bool is_retry = false;  ///< the call has begun

    [[nodiscard]] CallRank rank() const noexcept {
        if (is_retry) return CallRank::retry;
        return purpose == CallPurpose::verdict ? CallRank::last : CallRank::first;
    }
};

/// A coroutine that waits for a permit. Lives in that coroutine.
struct PermitClaim {
    std::shared_ptr<async::Waiter> waiter;
    PermitBook::Ticket ticket = 0;
    bool waits_for_room = false;             ///< and not for what the window or a rate allows
    std::optional<PermitBook::Start> start;  ///< of the desk's; ask `PermitDesk::leave`
};

/// Where the calls of one limit key get their permits: a book that any thread may use, with the
/// coroutines that wait in it and the one that talks to Redis for it.
class PermitDesk {
  public:
    explicit PermitDesk(PermitBook::Config config) : book_(std::move(config)) {}

    /// A call comes. True if it need not wait; else its waiter is woken when it may start.
    [[nodiscard]] bool enter(PermitClaim& claim, const CallNeeds& needs, async::TimePoint now);
    /// After the claim was woken or cancelled: what it got. If nothing, it does not wait any more.
    [[nodiscard]] std::optional<PermitBook::Start> leave(PermitClaim& claim);
    void end(const std::optional<Charge>& charge, const CallEnd& end, async::TimePoint now);
    /// What a call really took.
    void correct(const std::optional<Charge>& charge, CallPurpose purpose, std::int64_t input,
                 std::int64_t output);

    /// What is to be said to Redis, or until when `sleeper` may sleep unless it is woken.
    struct Turn {
        std::optional<queue::PermitAsk> ask;
        async::TimePoint due;
    };
    [[nodiscard]] Turn next_turn(const std::shared_ptr<async::Waiter>& sleeper,
                                 async::TimePoint now);
    void answered(const queue::PermitAnswer& answer, async::TimePoint asked, async::TimePoint now,
                  double random);
    void failed(async::TimePoint now);
    void close(async::TimePoint now);
    /// What became of the limits, for the log; empty: nothing new.
    [[nodiscard]] std::string take_news();

    /// For people and metrics.
    struct View {
        std::uint64_t running = 0;
        std::size_t waiting = 0;
        double fleet_limit = 0;  ///< calls at once
        double fleet_rate = 0;   ///< calls a second, learnt; 0: any number
        async::Duration paused{0};
        bool is_cut_off = false;
        bool is_settled = false;  ///< Redis counts nothing of ours any more
    };
    [[nodiscard]] View view(async::TimePoint now) const;
    [[nodiscard]] const queue::LimitKey& key() const noexcept { return book_.key(); }

  private:
    void act(async::TimePoint now);

    mutable std::mutex mutex_;  // guards the members below
    PermitBook book_;
    std::array<TokenGuess, 2> guesses_;  // by purpose
    PermitBook::Ticket last_ticket_ = 0;
    std::unordered_map<PermitBook::Ticket, PermitClaim*> claims_;
    std::shared_ptr<async::Waiter> sleeper_;
    async::TimePoint sleeps_until_{};
};

}  // namespace evalfleet::worker
