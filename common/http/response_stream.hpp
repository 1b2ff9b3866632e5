#pragma once

#include "common/http/message.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace evalfleet::http {

class Exchange;

/// A response whose body is still coming. Holds its connection: read to the end it goes back to the
/// pool, given up earlier it is closed. Move-only; used by one coroutine at a time.
class ResponseStream {
  public:
    ResponseStream() noexcept;  ///< empty; only to be assigned to
    explicit ResponseStream(std::unique_ptr<Exchange> exchange) noexcept;
    ResponseStream(ResponseStream&&) noexcept;
    ResponseStream& operator=(ResponseStream&&) noexcept;
    ~ResponseStream();

    [[nodiscard]] int status() const;
    [[nodiscard]] const Headers& headers() const;

    /// `last_byte` moves on with every read.
    [[nodiscard]] const Timings& timings() const;

    /// The next bytes of the body as they come, never an empty string; nothing at its end.
    /// Errors as in Client, after which the stream is over. The total deadline of the call holds
    /// here too. Cancelled: throws operation_aborted and the connection is closed.
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> read();

    /// The rest of the body, whole.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_all();

  private:
    std::unique_ptr<Exchange> exchange_;
};

}  // namespace evalfleet::http
