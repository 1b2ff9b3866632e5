#pragma once

#include "cli/simulator/protocols/protocol.hpp"
#include "common/http/router.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace evalfleet::simulator {

/// Answers a request that asks a model something, in that protocol. The protocol lives as long as
/// the program.
using AnswerChat =
    std::function<boost::asio::awaitable<http::Reply>(const Protocol&, http::RequestContext&)>;

/// The table of all that the simulator serves: each protocol's calls and lists of models.
[[nodiscard]] http::Router make_routes(const AnswerChat& answer);

}  // namespace evalfleet::simulator
