#pragma once

#include "common/redis/config.hpp"
#include "common/redis/endpoint_resolver.hpp"
#include "common/redis/reply_reader.hpp"
#include "common/redis/transport.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace evalfleet::redis {

/// A connection that is ready for commands: open, authenticated, and greeted by the server. Bytes
/// go in, replies come out; which reply belongs to what is the multiplexer's affair.
///
/// Strand, cancellation and errors as in `Transport`; replies out of bounds are `too_large`.
class Connection {
  public:
    /// `config` and `resolver` must live until it completes.
    [[nodiscard]] static boost::asio::awaitable<Result<std::unique_ptr<Connection>>> open(
        const Config& config, EndpointResolver& resolver);

    Connection(std::unique_ptr<Transport> transport, ReplyLimits limits)
        : transport_(std::move(transport)), reader_(limits) {}

    /// Waits for bytes and appends the replies that are complete, if any. How many bytes came.
    [[nodiscard]] boost::asio::awaitable<Result<std::size_t>> read(std::vector<Reply>& replies);

    /// Writes all of `wire`, which must live until it completes.
    [[nodiscard]] boost::asio::awaitable<Status> write(std::string_view wire);

  private:
    [[nodiscard]] boost::asio::awaitable<Status> greet(const Config& config);

    static constexpr std::size_t kReadBytes = 32 * 1024;

    std::unique_ptr<Transport> transport_;
    ReplyReader reader_;
    std::array<char, kReadBytes> buffer_;
};

}  // namespace evalfleet::redis
