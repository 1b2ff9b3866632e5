#pragma once

#include "cli/fleet/progress_view.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace evalfleet::fleet {

/// Talks to a coordinator's API. Errors carry what the coordinator said.
class CoordinatorClient {
  public:
    CoordinatorClient(http::Client& client, async::Clock& clock, http::Url base);

    /// Hands a run file in, as JSON; returns the ids of its runs.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::string>>> submit(
        std::string run_json);

    [[nodiscard]] boost::asio::awaitable<Result<RunProgress>> progress(std::string run_id);

    /// All runs that the coordinator keeps.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<RunProgress>>> runs();

    /// `what`: pause, resume or cancel. Its progress afterwards.
    [[nodiscard]] boost::asio::awaitable<Result<RunProgress>> steer(std::string run_id,
                                                                    std::string what);

  private:
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> call(std::string method,
                                                                   std::string path,
                                                                   std::string body);

    http::Client& client_;
    async::Clock& clock_;
    http::Url base_;
};

}  // namespace evalfleet::fleet
