#pragma once

#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <optional>
#include <string>

namespace evalfleet::testing {

/// A Redis of two servers, the second a replica of the first, that fails over once: watched by a
/// sentinel, or as the nodes of a cluster. Blocks until each step is done.
class RedisPair {
  public:
    enum class Kind { sentinel, cluster };

    explicit RedisPair(Kind kind);

    /// "redis+sentinel://..." or "redis+cluster://..."
    [[nodiscard]] std::string url() const;

    /// How far behind it may be when it takes over.
    enum class Lag {
        seconds,     ///< a sentinel takes no replica that heard nothing for 15 s
        any_length,  ///< it is told to take it
    };
    /// From now on the replica gets nothing of what is written.
    void let_replica_lag(Lag lag = Lag::seconds);
    /// Kills the first server; the second one takes over with what it has. A sentinel sees to it
    /// itself, unless it has to be told; in a cluster, which has no majority without its only
    /// master, somebody has to say so.
    void fail_over();

  private:
    void start_sentinel();
    void join_cluster();
    [[nodiscard]] std::string sentinel_url() const;
    void tell_sentinel();

    Kind kind_;
    TemporaryFolder folder_;
    RedisServer first_;
    RedisServer second_;
    std::uint16_t sentinel_port_ = 0;
    bool must_tell_sentinel_ = false;
    std::optional<Process> sentinel_;
};

}  // namespace evalfleet::testing
