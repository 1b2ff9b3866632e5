#include "common/files/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace evalfleet::files {

namespace {

int flags_of(File::Mode mode) {
    switch (mode) {
        case File::Mode::read:
            return O_RDONLY;
        case File::Mode::read_write:
            return O_RDWR | O_CREAT;
        case File::Mode::create_new:
            return O_RDWR | O_CREAT | O_EXCL;
    }
    return O_RDONLY;
}

ErrorKind kind_of(int code) {
    switch (code) {
        case ENOENT:
        case ENOTDIR:
            return ErrorKind::not_found;
        case EACCES:
        case EPERM:
        case EROFS:
            return ErrorKind::denied;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case EIO:
            return ErrorKind::transient;
        default:
            return ErrorKind::internal;
    }
}

}  // namespace

Error last_system_error(std::string_view what, const std::filesystem::path& path) {
    const int code = errno;
    return {kind_of(code), path.string() + ": " + std::string(what) + ": " + std::strerror(code)};
}

Result<File> File::blocking_open(const std::filesystem::path& path, Mode mode) {
    File file;
    file.path_ = path;
    file.descriptor_ = ::open(path.c_str(), flags_of(mode) | O_CLOEXEC, 0644);
    if (file.descriptor_ < 0) return last_system_error("cannot open", path);
    return file;
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    return *this;
}

File::~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Error File::failure(std::string_view what) const {
    return last_system_error(what, path_);
}

Result<std::uint64_t> File::blocking_size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return failure("cannot read its size");
    return static_cast<std::uint64_t>(status.st_size);
}

Status File::blocking_read_at(std::uint64_t offset, std::span<char> buffer) const {
    while (!buffer.empty()) {
        const ssize_t got =
            ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failure("cannot read");
        if (got == 0) return Error{ErrorKind::internal, path_.string() + ": ends too early"};
        buffer = buffer.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

Status File::blocking_write_at(std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return failure("cannot write");
        bytes.remove_prefix(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

Status File::blocking_truncate(std::uint64_t size) {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return failure("cannot cut");
    return {};
}

Status File::blocking_sync() {
    if (::fdatasync(descriptor_) != 0) return failure("cannot write to the disk");
    return {};
}

Result<bool> File::blocking_try_lock() {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return failure("cannot lock");
}

Result<std::string> blocking_read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
    auto file = File::blocking_open(path, File::Mode::read);
    if (!file) return file.error();
    const auto size = file->blocking_size();
    if (!size) return size.error();
    if (*size > max_bytes) {
        return Error{ErrorKind::too_large, path.string() + ": has " + std::to_string(*size) +
                                               " bytes; at most " + std::to_string(max_bytes) +
                                               " are allowed"};
    }
    std::string content(*size, '\0');
    if (const auto read = file->blocking_read_at(0, content); !read) return read.error();
    return content;
}

}  // namespace evalfleet::files
