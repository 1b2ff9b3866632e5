#pragma once

#include "common/async/waiter.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace evalfleet::async {

/// Whose work it is, and whether it takes long.
struct TurnClaim {
    std::string owner;
    bool is_large = false;
};

/// Who of those that wait may begin: like a Semaphore, but fair between owners however much each
/// of them has waiting, and with places that only small work gets. Next is the owner who has the
/// least under way, of these the one who had a turn longest ago, of his claims the oldest. Safe to
/// use from any thread; must outlive its turns.
class FairTurns {
  public:
    struct Config {
        std::size_t at_once = 3;
        std::size_t large_at_once = 2;  ///< less than `at_once` keeps places free for small ones
    };

    /// Given back when destroyed; move-only.
    class [[nodiscard]] Turn {
      public:
        Turn() noexcept = default;
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&& other) noexcept;
        ~Turn();

      private:
        friend class FairTurns;
        Turn(FairTurns& turns, TurnClaim claim) : turns_(&turns), claim_(std::move(claim)) {}
        FairTurns* turns_ = nullptr;
        TurnClaim claim_;
    };

    explicit FairTurns(Config config) : config_(config) {}
    FairTurns(const FairTurns&) = delete;
    FairTurns& operator=(const FairTurns&) = delete;

    /// Waits for a turn. Cancelled: throws operation_aborted, no turn is lost.
    [[nodiscard]] boost::asio::awaitable<Turn> acquire(TurnClaim claim);

  private:
    struct Waiting {
        TurnClaim claim;
        std::shared_ptr<Waiter> waiter{};
        bool granted = false;
    };
    struct Owner {
        std::size_t under_way = 0;
        std::size_t waiting = 0;
        std::uint64_t last_turn = 0;
    };

    void release(const TurnClaim& claim) noexcept;
    // With the mutex held.
    void hand_out();
    [[nodiscard]] std::list<Waiting*>::iterator find_next();
    void begin(const TurnClaim& claim);
    void forget_if_idle(const std::string& owner);

    Config config_;
    std::mutex mutex_;  // guards the members below
    std::size_t under_way_ = 0;
    std::size_t large_under_way_ = 0;
    std::uint64_t turns_given_ = 0;
    std::map<std::string, Owner> owners_;  // that have something under way or waiting
    std::list<Waiting*> queue_;            // in the order of coming; each lives in its coroutine
};

}  // namespace evalfleet::async
