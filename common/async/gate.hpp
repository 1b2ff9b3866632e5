#pragma once

#include "common/async/waiter.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

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

    Gate() = default;
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
    void wake_if_drained();

    mutable std::mutex mutex_;  // guards the members below
    std::size_t inside_ = 0;
    bool closed_ = false;
    std::vector<std::shared_ptr<Waiter>> closers_;
};

}  // namespace evalfleet::async
