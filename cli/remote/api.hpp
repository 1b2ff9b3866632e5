#pragma once

#include "cli/remote/problem.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace evalfleet::remote {

/// One call of the API.
struct Call {
    std::string method = "GET";
    std::string path{};  ///< with its query; behind `/api/v1`
    std::string body{};
    std::string content_type = "application/json";  ///< of the body
    std::string idempotency_key{};
    std::chrono::seconds timeout{120};
};

/// `part` as a piece of a path or query.
[[nodiscard]] std::string encode(std::string_view part);

/// The HTTP API of a coordinator (docs/api.md): sends the token, tells refusals as errors, waits as
/// long as the coordinator asks for, within reason.
///
/// Runs on the executor of its caller, which must run on one thread. Cancelled: throws
/// operation_aborted. Errors: what the coordinator said (see `to_error`), or `transient`, `timeout`
/// and `tls` if it could not be reached.
class Api {
  public:
    /// `client` and `clock` must outlive it. `token` may be empty.
    Api(http::Client& client, async::Clock& clock, http::Url base, std::string token = {});

    /// The answer whatever its status; an error if there is none.
    [[nodiscard]] boost::asio::awaitable<Result<http::Response>> ask(Call call);

    /// The body of an answer of success.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> call(Call call);

    /// PUTs a body that is read as it goes out.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> upload(std::string path,
                                                                     http::BodySource& body);

    /// An answer whose body is read from the stream; of success. Without a limit on its size.
    [[nodiscard]] boost::asio::awaitable<Result<http::ResponseStream>> open(
        std::string path, http::Headers headers = {});

    [[nodiscard]] async::Clock& clock() const noexcept { return clock_; }

  private:
    [[nodiscard]] http::Request make_request(const std::string& method,
                                             const std::string& path) const;

    http::Client& client_;
    async::Clock& clock_;
    http::Url base_;
    std::string token_;
};

}  // namespace evalfleet::remote
