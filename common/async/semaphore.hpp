#pragma once

#include "common/async/waiter.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

namespace evalfleet::async {

/// Bounds how many coroutines do something at once. A `Permit` is held while they do; whoever comes
/// when none is left waits, first come first served. Safe to use from any thread; must outlive its
/// permits.
class Semaphore {
  public:
    /// One unit of the semaphore, given back when destroyed; move-only.
    class [[nodiscard]] Permit {
      public:
        Permit() noexcept = default;
        Permit(Permit&& other) noexcept;
        Permit& operator=(Permit&& other) noexcept;
        ~Permit();

      private:
        friend class Semaphore;
        explicit Permit(Semaphore& owner) noexcept : owner_(&owner) {}
        Semaphore* owner_ = nullptr;
    };

    explicit Semaphore(std::size_t permits) : free_(permits) {}
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Waits for a permit. Cancelled: throws operation_aborted, no permit is lost.
    [[nodiscard]] boost::asio::awaitable<Permit> acquire();

    /// A permit if one is free now.
    [[nodiscard]] std::optional<Permit> try_acquire();

    /// Whoever holds a permit does not need it for a while: somebody else may have one more. Then
    /// it is taken back: the next one that is given back is not handed on.
    void lend();
    void take_back();

  private:
    struct Claim {
        std::shared_ptr<Waiter> waiter;
        bool granted = false;
    };

    void release() noexcept;

    std::mutex mutex_;  // guards the members below
    std::size_t free_;
    std::size_t owed_ = 0;     // permits that are not handed on when they come back
    std::list<Claim*> queue_;  // who waits, in order; each Claim lives in its coroutine
};

}  // namespace evalfleet::async
