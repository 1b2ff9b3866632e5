#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// `application/vnd.amazon.eventstream`: binary frames with headers, a payload and check sums, as
/// AWS's services stream. Pure.
namespace evalfleet::aws {

/// One frame. Of its headers those that are text; others are read over.
struct Frame {
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string payload{};

    /// The value of a header; empty if there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Takes frames out of bytes as they come, in whatever pieces.
class FrameParser {
  public:
    /// The most that a frame may have; what claims more is refused before it is kept.
    static constexpr std::size_t kMaxFrameBytes = 16 * 1024 * 1024;

    void feed(std::string_view bytes);

    /// The next frame, if it is whole. `invalid`: a length or check sum is wrong; `too_large`.
    [[nodiscard]] Result<std::optional<Frame>> next();

    /// Bytes of a frame that is not whole.
    [[nodiscard]] bool has_rest() const { return buffer_.size() > at_; }

  private:
    std::string buffer_;
    std::size_t at_ = 0;  // up to here it was used
};

/// The bytes of a frame.
[[nodiscard]] std::string encode(const Frame& frame);

/// The check sum of frames (CRC-32 of IEEE 802.3).
[[nodiscard]] std::uint32_t crc32(std::string_view bytes);

}  // namespace evalfleet::aws
