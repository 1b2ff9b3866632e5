#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/permit_queue.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/queue/worker_roster.hpp"
#include "common/redis/client.hpp"
#include "coordinator/runs/recent_refusals.hpp"
#include "coordinator/runs/runs_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::runs {

/// How much memory Redis uses.
struct RedisMemory {
    std::uint64_t used_bytes = 0;
    std::uint64_t max_bytes = 0;  ///< 0: no limit
};

/// Out of the text of INFO memory; none if it is not there.
[[nodiscard]] std::optional<RedisMemory> parse_memory_info(std::string_view info);

/// Feeding stops at 70 % of Redis's memory limit and goes on at 65 %, so that results always have
/// room. Pure.
[[nodiscard]] bool is_memory_full(const RedisMemory& memory, bool was_full) noexcept;

/// A Redis that evicts forgets jobs and results when it is full. The audit finds them missing and
/// they are worked on again, but each is a paid call: whoever set it up must hear of it, once.
class EvictionWatch {
  public:
    /// The policy to warn about, out of the text of INFO memory: one that is not `noeviction` and
    /// was not the one before, since after a failover another server answers. None if the text
    /// does not say.
    [[nodiscard]] std::optional<std::string> observe(std::string_view info);

  private:
    std::string last_ = "noeviction";
};

/// What a worker says of itself that concerns the runs.
struct WorkerFacts {
    std::string name;
    std::vector<std::string> providers;              ///< that it has
    std::map<std::string, std::string> unreachable;  ///< of them, with the reason
};

/// Out of a worker's card; what it does not say is left out. Pure.
[[nodiscard]] WorkerFacts read_worker_facts(const queue::WorkerSighting& sighting);

/// Looks after what all runs share: ends leases that ran out, counts workers and jobs, watches the
/// memory of Redis.
class PoolWatch {
  public:
    /// What was seen last.
    struct View {
        queue::PoolStats stats;
        std::uint64_t looks = 0;  ///< that it took to see this; counts those that Redis answered
        bool reachable = false;   ///< and its queue can be used
        bool connected = false;
        async::TimePoint last_worker;  ///< when there was one, or the watch began
        bool memory_full = false;
        RedisMemory memory;
        std::vector<queue::LimitStats> limits;  ///< of providers
        RecentRefusals refusals;                ///< by their keys
        std::vector<WorkerFacts> workers;
    };

    PoolWatch(queue::PoolQueue& queue, queue::PermitQueue& permits, queue::WorkerRoster& roster,
              redis::Client& client, RunsMetrics& metrics, async::Clock& clock, log::Logger logger);

    /// Never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] const View& view() const noexcept { return view_; }

  private:
    [[nodiscard]] boost::asio::awaitable<void> reap();
    [[nodiscard]] boost::asio::awaitable<void> look();
    [[nodiscard]] boost::asio::awaitable<void> look_at_limits();
    [[nodiscard]] boost::asio::awaitable<void> look_at_workers();
    [[nodiscard]] boost::asio::awaitable<void> check_memory();
    void report(const queue::LimitStats& limit);
    void check_eviction(std::string_view info);

    queue::PoolQueue& queue_;
    queue::PermitQueue& permits_;
    queue::WorkerRoster& roster_;
    redis::Client& client_;
    RunsMetrics& metrics_;
    async::Clock& clock_;
    log::Logger logger_;
    View view_;
    EvictionWatch eviction_;
    bool was_looked_at_ = false;
    std::map<std::string, std::string> reasons_;  // why each limit changed last, by its key
};

}  // namespace evalfleet::runs
