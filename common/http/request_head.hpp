#pragma once

#include "common/http/message.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// What must not go out as it is: a method or header that would change the shape of the message,
/// or a header that is the client's own to set. The error names the header, never its value.
[[nodiscard]] Status check_request(const Request& request);

/// The request's first line and headers, with the empty line behind them. `proxy` is the proxy that
/// reads it, null if it is the server itself; `body_bytes` how long the body is that follows.
[[nodiscard]] std::string format_request_head(const Request& request, const Url* proxy,
                                              std::string_view user_agent,
                                              std::uint64_t body_bytes);

/// The request that asks `proxy` for a tunnel to the server of `url`.
[[nodiscard]] std::string format_connect(const Url& url, const Url& proxy,
                                         std::string_view user_agent);

}  // namespace evalfleet::http
