#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/redis/client.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace evalfleet::worker {

/// Tells people how the connection to Redis stands, a line a change, and sees to it that after each
/// connect the server has our functions in a version that is at least ours.
class RedisWatcher {
  public:
    /// `shown_url`: without the password.
    RedisWatcher(redis::Client& client, redis::FunctionLibrary& functions, async::Clock& clock,
                 std::string shown_url, log::Logger logger);

    /// Until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    [[nodiscard]] boost::asio::awaitable<void> greet();

    redis::Client& client_;
    redis::FunctionLibrary& functions_;
    async::Clock& clock_;
    std::string shown_url_;
    log::Logger logger_;
};

}  // namespace evalfleet::worker
