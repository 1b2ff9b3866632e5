#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

#include <cstddef>
#include <mutex>
#include <optional>

namespace evalfleet::async {

/// Stopping a service asks two questions: may new work still start, and is everybody out? A gate
/// answers both. Work enters and holds a `Holder` while it runs; `close()` lets nobody in any more
/// and completes when the last holder is gone.
///
/// Safe to use from any thread. Must outlive its holders (checked when it is destroyed).
class Gate {
  public:
    /// Inside the gate while it lives; move-only.
    class [[nodiscard]] Holder {
      public:
        Holder(Holder&& other) noexcept;
        Holder& operator=(Holder&& other) noexcept;
        ~Holder();

      private:
        friend class Gate;
        explicit Holder(Gate& gate) noexcept : gate_(&gate) {}
        Gate* gate_;
    };

    explicit Gate(const boost::asio::any_io_executor& executor);
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate();

    /// Empty when the gate is closed.
    [[nodiscard]] std::optional<Holder> try_enter();

    /// Lets nobody in from now on. May be called more than once.
    void stop_intake();

    /// `stop_intake()`, then completes when everybody is out. May be awaited more than once, one
    /// after the other or at the same time.
    /// Cancelled: throws operation_aborted; the gate stays closed to newcomers.
    [[nodiscard]] boost::asio::awaitable<void> close();

    [[nodiscard]] bool is_closed() const;
    [[nodiscard]] std::size_t count_inside() const;

  private:
    void leave();

    mutable std::mutex mutex_;  // guards inside_ and closed_
    std::size_t inside_ = 0;
    bool closed_ = false;
    // Closed when the last one is out, which wakes every waiter.
    boost::asio::experimental::concurrent_channel<void(boost::system::error_code)> drained_;
};

}  // namespace evalfleet::async
