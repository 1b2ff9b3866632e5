#pragma once

#include "cli/fleet/child.hpp"
#include "common/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace evalfleet::fleet {

/// Keeps one child running: starts it again when it dies, with a growing pause, and says so.
/// Everything runs on one single-threaded executor.
class ChildKeeper {
  public:
    /// Gets a line for people.
    using Say = std::function<void(const std::string& line)>;

    ChildKeeper(Program program, async::Clock& clock, Say say);

    /// Starts the child for the first time.
    [[nodiscard]] Status start(const boost::asio::any_io_executor& executor);

    /// Keeps it running until `stop()` has ended it; then returns. Cancelled: throws
    /// operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Asks the child to end with SIGTERM; it is not started again.
    void begin_stop();

    /// Likewise, and kills it at the deadline; returns when it is gone, for which `run()` must run.
    [[nodiscard]] boost::asio::awaitable<void> stop(async::TimePoint deadline);

    [[nodiscard]] const Program& program() const noexcept { return program_; }
    [[nodiscard]] pid_t pid() const noexcept { return child_ ? child_->pid() : 0; }
    [[nodiscard]] std::uint64_t count_restarts() const noexcept { return restarts_; }

  private:
    Program program_;
    async::Clock& clock_;
    Say say_;
    std::optional<Child> child_;
    bool stopping_ = false;
    std::uint64_t restarts_ = 0;
};

/// The pause before a child is started again: doubles with each early death, 100 ms to 5 s; a child
/// that lived a minute begins anew. Pure.
[[nodiscard]] std::chrono::milliseconds restart_pause(std::uint64_t early_deaths) noexcept;

}  // namespace evalfleet::fleet
