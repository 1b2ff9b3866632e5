#pragma once

#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace evalfleet::redis {

/// What one reply may cost us. The server is not trusted: it may announce anything.
struct ReplyLimits {
    std::size_t max_bytes = 64 * 1024 * 1024;  ///< of all text in one reply, and of what is unread
    std::size_t max_elements = 1024 * 1024;    ///< of all arrays in one reply together
};

/// Turns bytes of the wire into replies. Depth is bounded by hiredis (7 arrays in each other), size
/// and element count by `ReplyLimits`; nothing is allocated for what was only announced.
///
/// After an error the stream makes no sense any more: drop the reader and the connection.
class ReplyReader {
  public:
    explicit ReplyReader(ReplyLimits limits);
    ~ReplyReader();
    ReplyReader(ReplyReader&&) noexcept;
    ReplyReader& operator=(ReplyReader&&) noexcept;

    /// Takes bytes in. `too_large` when an incomplete reply exceeds the limit.
    [[nodiscard]] Status feed(std::string_view bytes);

    /// The next complete reply; empty when more bytes are needed. `invalid` for what is not RESP2,
    /// `too_large` when a limit is exceeded.
    [[nodiscard]] Result<std::optional<Reply>> next();

  private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace evalfleet::redis
