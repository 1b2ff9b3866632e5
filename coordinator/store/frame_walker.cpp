#include "coordinator/store/frame_walker.hpp"

#include <algorithm>

namespace evalfleet::store {

Status FrameWalker::blocking_fill(std::size_t wanted) {
    if (available() >= wanted) return {};
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t old = buffer_.size();
    const std::uint64_t left = size_ - offset_ - old;
    const auto more = static_cast<std::size_t>(
        std::min<std::uint64_t>(left, std::max(read_bytes_, wanted) - old));
    buffer_.resize(old + more);
    return read_(offset_ + old, std::span(buffer_).subspan(old));
}

// The frame that begins here, if it is whole and sound.
Result<std::optional<Frame>> FrameWalker::blocking_try() {
    if (const auto filled = blocking_fill(kFrameOverhead); !filled) return filled.error();
    if (available() < kFrameOverhead || !may_begin_frame(rest())) return std::optional<Frame>();
    const std::size_t wanted = *frame_size(rest());
    if (wanted > size_ - offset_) return std::optional<Frame>();
    if (const auto filled = blocking_fill(wanted); !filled) return filled.error();
    return read_frame(rest());
}

void FrameWalker::seek(std::uint64_t offset) {
    current_ = 0;
    // Back or far ahead: what is in the buffer is of no use.
    if (offset < offset_ || offset - offset_ > available()) {
        buffer_.clear();
        begin_ = 0;
    } else {
        begin_ += static_cast<std::size_t>(offset - offset_);
    }
    offset_ = offset;
}

Result<std::optional<Frame>> FrameWalker::blocking_next() {
    seek(offset_ + current_);
    auto frame = blocking_try();
    if (frame && *frame) current_ = (*frame)->size;
    return frame;
}

Result<bool> FrameWalker::blocking_find_next() {
    const std::uint64_t start = offset_;
    for (std::uint64_t at = start + 1; at + kFrameOverhead <= size_; ++at) {
        seek(at);
        const auto frame = blocking_try();
        if (!frame) return frame.error();
        if (*frame) return true;
    }
    seek(start);
    return false;
}

Result<bool> FrameWalker::blocking_is_torn() {
    if (const auto filled = blocking_fill(kFrameOverhead); !filled) return filled.error();
    if (available() < kFrameOverhead) return true;
    return may_begin_frame(rest()) && *frame_size(rest()) > size_ - offset_;
}

}  // namespace evalfleet::store
