#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/function_library.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace evalfleet::queue {

/// A worker that sent a heartbeat of late.
struct WorkerSighting {
    std::string name;
    std::chrono::milliseconds age{};  ///< of its last heartbeat
    std::string card;                 ///< what it says of itself, as JSON; empty: nothing
};

/// Which workers there are, for people. Each leaves a card beside its heartbeats, in a key of its
/// own that ends with it; nothing depends on it. The client must outlive it. May be used from any
/// thread; errors are those of `redis::Client::execute`.
class WorkerRoster {
  public:
    WorkerRoster(redis::Client& client, Keys keys);

    /// Leaves the card of a worker, for so long.
    [[nodiscard]] boost::asio::awaitable<Status> announce(std::string worker, std::string card,
                                                          std::chrono::milliseconds lifetime,
                                                          async::TimePoint deadline);

    /// All that are alive, by name.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<WorkerSighting>>> read(
        async::TimePoint deadline);

  private:
    redis::FunctionLibrary functions_;
    Keys keys_;
};

}  // namespace evalfleet::queue
