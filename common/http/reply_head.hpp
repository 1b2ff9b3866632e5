#pragma once

#include "common/http/reply.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// How the end of a reply's body is told.
enum class Framing {
    none,     ///< there is no body
    length,   ///< Content-Length
    chunked,  ///< Transfer-Encoding: chunked
    close,    ///< the end of the connection, for HTTP/1.0
};

struct ReplyShape {
    Framing framing = Framing::length;
    std::uint64_t length = 0;  ///< told if the framing is `length`
    bool keep_alive = true;
    int version = 11;  ///< of the request
    std::string_view request_id;
    const Headers* house_headers = nullptr;  ///< told too, unless the reply has them; null: none
};

/// The framing of a reply to a request of that method and version.
[[nodiscard]] Framing choose_framing(const Reply& reply, int version);

/// The reply's first line and headers, with the empty line behind them. The reply's headers must be
/// valid.
[[nodiscard]] std::string format_reply_head(const Reply& reply, const ReplyShape& shape,
                                            std::chrono::system_clock::time_point now);

/// The id that a request is known by: the client's own `X-Request-Id` if it is short and plain,
/// else a random one.
[[nodiscard]] std::string choose_request_id(std::optional<std::string_view> offered);

}  // namespace evalfleet::http
