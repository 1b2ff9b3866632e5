#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

#include <cstddef>
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

    Semaphore(const boost::asio::any_io_executor& executor, std::size_t permits);
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Waits for a permit. Cancelled: throws operation_aborted, no permit is lost.
    [[nodiscard]] boost::asio::awaitable<Permit> acquire();

    /// A permit if one is free now.
    [[nodiscard]] std::optional<Permit> try_acquire();

  private:
    void release() noexcept;

    // One queued message a free permit.
    boost::asio::experimental::concurrent_channel<void(boost::system::error_code)> free_;
};

}  // namespace evalfleet::async
