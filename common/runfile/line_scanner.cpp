#include "common/runfile/line_scanner.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace evalfleet::runfile {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kShownOfTooLong = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineScanner::LineScanner(const files::File& file, std::uint64_t size, std::size_t max_line_bytes)
    : file_(file), size_(size), max_line_bytes_(max_line_bytes) {}

Status LineScanner::blocking_fill() {
    if (at_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
        filled_ -= at_;
        at_ = 0;
    }
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, size_ - next_read_));
    if (buffer_.size() < filled_ + count) buffer_.resize(filled_ + count);
    const std::span<char> space(buffer_.data() + filled_, count);
    if (Status read = file_.blocking_read_at(next_read_, space); !read) return read;
    hash_.add({space.data(), space.size()});
    const bool is_start = next_read_ == 0;
    next_read_ += count;
    filled_ += count;
    if (is_start && std::string_view(buffer_).substr(0, filled_).starts_with(kByteOrderMark)) {
        at_ = kByteOrderMark.size();
    }
    return {};
}

LineScanner::Line LineScanner::take(std::size_t length, std::size_t end_length) {
    Line line;
    line.offset = next_read_ - filled_ + at_;
    line.text = std::string_view(buffer_).substr(at_, length);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    if (line.text.size() > max_line_bytes_) {
        line.too_long = true;
        line.text = line.text.substr(0, kShownOfTooLong);
    }
    at_ += length + end_length;
    return line;
}

Result<std::optional<LineScanner::Line>> LineScanner::blocking_next() {
    std::size_t searched = 0;  // of this line; it is not looked at twice
    for (;;) {
        const std::string_view rest =
            std::string_view(buffer_).substr(0, filled_).substr(at_ + searched);
        if (const auto found = rest.find('\n'); found != std::string_view::npos) {
            return take(searched + found, 1);
        }
        searched += rest.size();
        if (next_read_ == size_) {
            if (searched == 0) return std::optional<Line>();
            return take(searched, 0);
        }
        // One byte more than allowed may still be the CR of its end.
        if (searched > max_line_bytes_ + 1) {
            return blocking_skip_rest(next_read_ - filled_ + at_);
        }
        if (Status filled = blocking_fill(); !filled) return filled.error();
        if (searched == 0 && at_ > 0) continue;
    }
}

/// Drops what is left of a line that is too long, without keeping it.
Result<std::optional<LineScanner::Line>> LineScanner::blocking_skip_rest(std::uint64_t offset) {
    beginning_ = buffer_.substr(at_, kShownOfTooLong);
    for (;;) {
        const auto found = std::string_view(buffer_).substr(0, filled_).find('\n', at_);
        const bool is_there = found != std::string_view::npos;
        at_ = is_there ? found + 1 : filled_;
        if (is_there || next_read_ == size_) break;
        if (Status filled = blocking_fill(); !filled) return filled.error();
    }
    return std::optional(Line{offset, beginning_, true});
}

}  // namespace evalfleet::runfile
