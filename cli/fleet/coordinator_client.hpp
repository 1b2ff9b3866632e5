#pragma once

#include "cli/remote/api.hpp"
#include "cli/remote/progress.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::fleet {

using remote::RunProgress;

/// What became of a run file that was handed in.
struct SubmissionAnswer {
    std::vector<std::string> run_ids;
    std::optional<remote::Refusal> refusal;
};

/// What a session wants of a coordinator's API. Errors carry what the coordinator said.
class CoordinatorClient {
  public:
    CoordinatorClient(http::Client& client, async::Clock& clock, http::Url base,
                      std::string token = {});

    /// Hands a run file in, as JSON.
    [[nodiscard]] boost::asio::awaitable<Result<SubmissionAnswer>> submit(std::string run_json);

    /// Makes a run out of one that is over. `how`: retry or rejudge; asked twice it is the same.
    [[nodiscard]] boost::asio::awaitable<Result<SubmissionAnswer>> derive(std::string run_id,
                                                                          std::string how,
                                                                          std::string body);

    [[nodiscard]] boost::asio::awaitable<Result<RunProgress>> progress(std::string run_id);

    /// All runs that the coordinator keeps.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<RunProgress>>> runs();

    /// A new run that tries the trials of one that is over again which were not measured; asked
    /// twice it is the same one. Its id.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> retry(std::string run_id);

    /// `what`: pause, resume or cancel. Its progress afterwards.
    [[nodiscard]] boost::asio::awaitable<Result<RunProgress>> steer(std::string run_id,
                                                                    std::string what);

  private:
    [[nodiscard]] boost::asio::awaitable<Result<SubmissionAnswer>> hand_in(remote::Call call);

    remote::Api api_;
};

}  // namespace evalfleet::fleet
