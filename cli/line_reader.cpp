#include "cli/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kFirstBufferBytes = std::size_t{1} << 18;

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A JSON text that is one line of a file has no lines of its own worth telling.
std::string_view without_own_line(std::string_view message) {
    constexpr std::string_view kFirstLine = "line 1, ";
    if (message.starts_with(kFirstLine)) message.remove_prefix(kFirstLine.size());
    return message;
}

}  // namespace

Result<LineReader> LineReader::open(const std::string& file) {
    if (file == "-") return LineReader("<stdin>", ::dup(STDIN_FILENO));
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return Error{ErrorKind::not_found, fmt::format("{}: {}", file, std::strerror(errno))};
    }
    return LineReader(file, descriptor);
}

LineReader::LineReader(std::string name, int descriptor)
    : name_(std::move(name)), descriptor_(descriptor), buffer_(kFirstBufferBytes, '\0') {}

LineReader::LineReader(LineReader&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      line_(other.line_),
      at_end_(other.at_end_) {}

LineReader::~LineReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<LineReader::Line>> LineReader::next() {
    std::size_t searched = 0;  // bytes behind begin_ that are known to hold no line feed
    while (true) {
        const char* const from = buffer_.data() + begin_ + searched;
        const void* const found = std::memchr(from, '\n', end_ - begin_ - searched);
        if (found != nullptr) {
            const auto length =
                static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
            const Line line = take(length, 1);
            if (!is_blank(line.text)) return std::optional(line);
            searched = 0;
            continue;
        }
        searched = end_ - begin_;
        if (at_end_) break;
        const auto more = fill();
        if (!more) return more.error();
        at_end_ = !*more;
    }
    if (begin_ == end_) return std::optional<Line>{};
    const Line last = take(end_ - begin_, 0);
    if (is_blank(last.text)) return std::optional<Line>{};
    return std::optional(last);
}

LineReader::Line LineReader::take(std::size_t length, std::size_t terminator) {
    ++line_;
    const std::string_view text = std::string_view(buffer_).substr(begin_, length);
    begin_ += length + terminator;
    return {line_, text};
}

Result<bool> LineReader::fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) {
        if (end_ >= kMaxLineBytes) {
            return Error{ErrorKind::too_large, fmt::format("{}:{}: a line of more than {} bytes",
                                                           name_, line_ + 1, kMaxLineBytes)};
        }
        buffer_.resize(buffer_.size() * 2);
    }
    ssize_t count = 0;
    do {
        count = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        const ErrorKind kind = errno == EISDIR ? ErrorKind::invalid : ErrorKind::internal;
        return Error{kind, fmt::format("{}: {}", name_, std::strerror(errno))};
    }
    end_ += static_cast<std::size_t>(count);
    return count > 0;
}

Error LineReader::locate(const Error& error) const {
    Error located = error;
    located.message = fmt::format("{}:{}: {}", name_, line_, without_own_line(error.message));
    return located;
}

}  // namespace evalfleet::cli
