#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/http/reply.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <string>

namespace evalfleet::api {

/// A file as the body of a reply, read piece by piece as the client takes it. `pool` must outlive
/// the reply. `not_found` if it is not there.
[[nodiscard]] boost::asio::awaitable<Result<http::Reply>> file_reply(async::BlockingPool& pool,
                                                                     std::filesystem::path path,
                                                                     std::string content_type);

}  // namespace evalfleet::api
