#pragma once

#include "common/async/clock.hpp"
#include "common/queue/permit_queue.hpp"
#include "common/queue/run_queue.hpp"
#include "common/redis/function_library.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// What a provider saw: every request with its moment, as its own log has it.
class ArrivalLog {
  public:
    struct Arrival {
        std::int64_t at_ns = 0;  ///< of a monotonic clock
        int status = 0;
    };

    [[nodiscard]] static ArrivalLog blocking_read(const std::filesystem::path& file);

    [[nodiscard]] std::size_t size() const noexcept { return arrivals_.size(); }
    /// Refused with 429, from so long after the first request on.
    [[nodiscard]] std::size_t count_refused(std::chrono::milliseconds after) const;
    /// Let in, up to so long after the first request.
    [[nodiscard]] std::size_t count_accepted(std::chrono::milliseconds until) const;
    /// The most requests, refused ones too, within any stretch of that length.
    [[nodiscard]] std::size_t most_within(std::chrono::milliseconds window) const;
    /// How much of a limit is used for good, however unevenly: from any request on, the window's
    /// share of the time in which `limit` more came; the mean of all. 1: all of it.
    [[nodiscard]] double sustained_share(std::size_t limit, std::chrono::milliseconds window) const;

  private:
    std::vector<Arrival> arrivals_;  // in order
};

/// Real workers against a simulated provider that enforces a limit in a rolling window. There is
/// more work than they can do; nobody collects the results.
class LimitedFleet {
  public:
    struct Options {
        std::size_t workers = 8;
        std::uint64_t rpm = 600;
        std::chrono::seconds window{60};
        std::chrono::milliseconds margin{1'500};
        std::chrono::milliseconds lease{5'000};
        bool judge_shares_key = false;  ///< false: the judge is at a provider without limits
        std::uint64_t jobs = 2'000;
        std::string latency_ms = "40";
    };

    explicit LimitedFleet(Options options);

    /// Kills a worker as `kill -9`.
    void kill_worker(std::size_t number) { workers_[number].kill(); }
    /// Asks all workers to end, and waits until they have.
    void end_workers();

    [[nodiscard]] ArrivalLog arrivals() const;
    /// Until so much time has passed since the first request; false if none came in a minute.
    [[nodiscard]] bool await(std::chrono::milliseconds since_first_request) const;
    [[nodiscard]] std::vector<queue::LimitStats> limits();

  private:
    using Talk =
        std::function<boost::asio::awaitable<void>(redis::Client&, redis::FunctionLibrary&)>;
    [[nodiscard]] Process start_simulator(const std::string& name, std::uint64_t rpm) const;
    [[nodiscard]] std::string await_port(const std::string& name) const;
    void talk(const Talk& what);
    void write_providers() const;
    void enqueue();
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

    Options options_;
    TemporaryFolder folder_;
    RedisServer redis_;
    async::SystemClock clock_;
    std::vector<Process> simulators_;
    std::vector<Process> workers_;
};

}  // namespace evalfleet::testing
