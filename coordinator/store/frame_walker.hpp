#pragma once

#include "common/result/result.hpp"
#include "coordinator/store/log_frame.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::store {

/// Fills the whole buffer with the bytes at an offset.
using ReadAt = std::function<Status(std::uint64_t offset, std::span<char> buffer)>;

/// Walks over the frames of a log with one buffer that grows to the largest frame. Errors are those
/// of reading.
class FrameWalker {
  public:
    /// From `offset` to `size`, in pieces of `read_bytes` or more.
    FrameWalker(ReadAt read, std::uint64_t offset, std::uint64_t size, std::size_t read_bytes)
        : read_(std::move(read)), offset_(offset), size_(size), read_bytes_(read_bytes) {}

    /// The next sound frame; none at the end, or where there is no sound one.
    [[nodiscard]] Result<std::optional<Frame>> blocking_next();

    /// After none: goes on to the next place where a sound frame begins. False, and nothing
    /// changes, if there is no such place.
    [[nodiscard]] Result<bool> blocking_find_next();

    /// Where the frame that was returned last begins, or where there is no sound one.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    [[nodiscard]] bool is_at_end() const noexcept { return offset_ == size_; }

    /// What stands there looks like the beginning of a frame that ends too early.
    [[nodiscard]] Result<bool> blocking_is_torn();

  private:
    [[nodiscard]] std::size_t available() const { return buffer_.size() - begin_; }
    [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
    [[nodiscard]] Status blocking_fill(std::size_t wanted);
    [[nodiscard]] Result<std::optional<Frame>> blocking_try();
    void seek(std::uint64_t offset);

    ReadAt read_;
    std::uint64_t offset_;
    std::uint64_t size_;
    std::size_t read_bytes_;
    std::string buffer_;
    std::size_t begin_ = 0;    // of what is not walked over yet
    std::size_t current_ = 0;  // size of the frame that was returned last
};

}  // namespace evalfleet::store
