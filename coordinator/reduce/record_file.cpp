#include "coordinator/reduce/record_file.hpp"

#include "common/json/field_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace evalfleet::reduce {
namespace {

// Most lines end within so much; what is read beyond the end of one is read again.
constexpr std::size_t kUsualLineBytes = 8 * 1024;

Error file_error(const std::string& name, int code) {
    const bool missing = code == ENOENT || code == ENOTDIR;
    return {missing ? ErrorKind::not_found : ErrorKind::internal,
            fmt::format("{}: {}", name, std::strerror(code))};
}

bool is_blank(std::string_view line) noexcept {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

Result<RecordFile> RecordFile::open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return file_error(path.string(), errno);
    RecordFile file(descriptor, 0, path.string());
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return file_error(file.name_, errno);
    if (!S_ISREG(status.st_mode)) {
        return Error{ErrorKind::invalid, fmt::format("{}: not a regular file", file.name_)};
    }
    file.size_ = static_cast<std::uint64_t>(status.st_size);
    return file;
}

RecordFile::RecordFile(RecordFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      name_(std::move(other.name_)) {}

RecordFile::~RecordFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> RecordFile::read(std::uint64_t offset, std::span<char> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const auto got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                 static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_error(name_, errno);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::uint64_t> RecordFile::line_number(std::uint64_t offset) const {
    std::vector<char> piece(1 << 20);
    std::uint64_t line = 1;
    for (std::uint64_t at = 0; at < offset; at += piece.size()) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), offset - at));
        const auto got = read(at, std::span(piece).first(size));
        if (!got) return got.error();
        line += static_cast<std::uint64_t>(
            std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*got), '\n'));
    }
    return line;
}

Status LineBuffer::fill(const RecordFile& file, std::uint64_t begin, std::size_t block_bytes,
                        std::size_t max_line_bytes) {
    // One byte more in front tells whether a line begins at `begin`.
    offset_ = begin == 0 ? 0 : begin - 1;
    std::size_t wanted = static_cast<std::size_t>(begin - offset_) + block_bytes;
    const std::size_t longest = wanted + max_line_bytes;
    std::size_t more = kUsualLineBytes;
    end_ = wanted;
    used_ = 0;
    at_ = 0;
    for (;;) {
        if (bytes_.size() < wanted + json::FieldReader::kPaddingBytes) {
            bytes_.resize(wanted + json::FieldReader::kPaddingBytes);
        }
        const auto got =
            file.read(offset_ + used_, std::span(bytes_).subspan(used_, wanted - used_));
        if (!got) return got.error();
        const std::size_t scanned = std::max(used_, end_ - 1);
        used_ += *got;
        if (used_ < wanted) break;
        // The last of our lines must be here up to its line feed.
        if (std::memchr(bytes_.data() + scanned, '\n', used_ - scanned) != nullptr) break;
        if (wanted == longest) {
            const auto feed = std::string_view(bytes_.data(), used_).rfind('\n');
            at_ = feed == std::string_view::npos ? 0 : feed + 1;
            return Error{ErrorKind::too_large,
                         fmt::format("a line of more than {} bytes", max_line_bytes)};
        }
        wanted = std::min(longest, wanted + more);
        more *= 2;
    }
    end_ = std::min(end_, used_);
    if (begin != 0) {
        const void* const feed = std::memchr(bytes_.data(), '\n', used_);
        at_ = feed == nullptr
                  ? used_
                  : static_cast<std::size_t>(static_cast<const char*>(feed) - bytes_.data()) + 1;
    }
    return {};
}

std::optional<LineBuffer::Line> LineBuffer::next_line() noexcept {
    while (at_ < end_) {
        const char* const first = bytes_.data() + at_;
        const void* const feed = std::memchr(first, '\n', used_ - at_);
        const std::size_t size =
            feed == nullptr ? used_ - at_
                            : static_cast<std::size_t>(static_cast<const char*>(feed) - first);
        const Line line{{first, size}, offset_ + at_};
        at_ += size + 1;
        if (!is_blank(line.text)) return line;
    }
    return std::nullopt;
}

}  // namespace evalfleet::reduce
