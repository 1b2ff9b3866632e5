#pragma once

#include "common/async/clock.hpp"
#include "common/http/headers.hpp"
#include "common/http/percent.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::http {

/// The body of a request, pulled by the handler as it comes.
class BodyReader {
  public:
    virtual ~BodyReader() = default;

    /// The next bytes, never an empty string; nothing at the end. Errors: too_large (over the
    /// route's limit), timeout (too slow), invalid (malformed), transient (the client went away).
    /// Cancelled: throws operation_aborted.
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::optional<std::string>>> read() = 0;

    /// What the client announced, if it did.
    [[nodiscard]] virtual std::optional<std::uint64_t> content_length() const = 0;

    /// The whole rest. Its size is bounded by the route's limit.
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::string>> read_all() = 0;

    /// When the last bytes of the request that were read came out of the socket; once all was read,
    /// the arrival of its last byte.
    [[nodiscard]] virtual async::TimePoint last_arrival() const = 0;
};

/// The values of the `{names}` in a route's pattern.
using PathParameters = std::vector<std::pair<std::string, std::string>>;

/// A request as its handler sees it. Lives until the handler returned.
struct RequestContext {
    std::string method{};
    std::string path{};  ///< as sent, without the query
    Query query{};
    PathParameters parameters{};
    Headers headers{};
    std::string request_id{};  ///< the client's own if it sent a sane one
    std::string peer{};        ///< its address, for logs
    BodyReader* body = nullptr;

    /// The value of `{name}` in the route's pattern, decoded. The pattern must have it.
    [[nodiscard]] const std::string& parameter(std::string_view name) const;
};

}  // namespace evalfleet::http
