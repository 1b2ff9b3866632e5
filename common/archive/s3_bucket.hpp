#pragma once

#include "common/archive/s3_config.hpp"
#include "common/archive/s3_reply.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/http/retry_policy.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace evalfleet::archive {

/// What a bucket says of an object.
struct ObjectFacts {
    std::uint64_t bytes = 0;
    std::string sha256;  ///< that it was put in with; empty: by somebody else
};

/// The requests of S3 that an upload takes, each signed anew and tried again while it may help: 6
/// times over about a minute. The hash of each body is signed with it, so that the service refuses
/// one that was changed on the way.
///
/// Errors: `denied` (keys, rights), `not_found` (no such bucket or upload), `invalid` (anything
/// else that asking again does not change), `transient` and `timeout` (given up for now).
/// Cancelled: throws operation_aborted.
class S3Bucket {
  public:
    S3Bucket(const boost::asio::any_io_executor& executor, async::Clock& clock,
             async::BlockingPool& pool, S3Access access, Target target);

    /// Nothing if there is no such object.
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<ObjectFacts>>> head(std::string key);
    [[nodiscard]] boost::asio::awaitable<Status> put(std::string key, std::string body,
                                                     std::string sha256);
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> get_range(std::string key,
                                                                        std::uint64_t begin,
                                                                        std::uint64_t bytes);

    [[nodiscard]] boost::asio::awaitable<Result<std::string>> begin_upload(std::string key,
                                                                           std::string sha256);
    /// An upload of this key that was not finished.
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> find_unfinished(
        std::string key);
    [[nodiscard]] boost::asio::awaitable<Result<std::map<std::uint64_t, Part>>> parts(
        std::string key, std::string upload);
    [[nodiscard]] boost::asio::awaitable<Result<Part>> put_part(std::string key, std::string upload,
                                                                std::uint64_t number,
                                                                std::string body);
    [[nodiscard]] boost::asio::awaitable<Status> finish_upload(std::string key, std::string upload,
                                                               std::map<std::uint64_t, Part> parts);
    [[nodiscard]] boost::asio::awaitable<Status> drop_upload(std::string key, std::string upload);

  private:
    struct Call {
        std::string method;
        std::string key;
        std::string query{};
        std::string body{};
        std::map<std::string, std::string> headers{};
        bool may_be_missing = false;  ///< 404 is an answer
    };

    [[nodiscard]] boost::asio::awaitable<Result<http::Response>> make(Call call);
    [[nodiscard]] boost::asio::awaitable<Result<http::Response>> try_once(const Call& call);

    async::Clock& clock_;
    async::BlockingPool& pool_;
    S3Access access_;
    Target target_;
    http::Client client_;
    http::RetryPolicy retries_;
};

}  // namespace evalfleet::archive
