#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace evalfleet::queue {

/// Whose a run is, as Redis has it, for a coordinator that does not keep it itself.
struct RunClaim {
    std::uint64_t epoch = 0;  ///< 0: Redis does not know it
    std::string state{};      ///< as in RunStats; empty: none
    std::string owner{};      ///< id of its store; empty: an earlier version put it there
};

/// Reads it without a function. Errors are those of `redis::Client::execute`.
[[nodiscard]] boost::asio::awaitable<Result<RunClaim>> read_claim(redis::Client& client, Keys keys,
                                                                  std::string run,
                                                                  async::TimePoint deadline);

}  // namespace evalfleet::queue
