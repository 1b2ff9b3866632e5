#pragma once

#include "cli/simulator/player.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/files/file.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <string>

namespace evalfleet::simulator {

/// Writes down every request, one JSON line each, for checks of timing and of ledgers: `key`
/// (of the request, in hex), `n` (which one of its kind), `kind` (model or judge), `arrival_ns` and
/// `reply_ns` on the machine's monotonic clock, `status` (0: no reply).
///
/// Lines are gathered in memory and written by a pool, so that a request does not wait for a disk.
class RequestLog {
  public:
    [[nodiscard]] static Result<RequestLog> blocking_create(const std::filesystem::path& path);

    void add(const Outcome& outcome, async::TimePoint arrival, async::TimePoint reply);

    /// Writes what was gathered, every so often, until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run(async::Clock& clock, async::BlockingPool& pool);

    /// Writes what is left.
    [[nodiscard]] Status blocking_flush();

  private:
    files::File file_;
    std::uint64_t written_ = 0;
    std::string pending_;
};

}  // namespace evalfleet::simulator
