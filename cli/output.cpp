#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr mode_t kFileMode = 0644;

/// A device or a pipe cannot be replaced by renaming; it is written to as it is.
bool is_special(const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

Error not_writable(const std::string& file) {
    return {ErrorKind::invalid,
            fmt::format("{}: cannot be written: {}", file, std::strerror(errno))};
}

}  // namespace

Result<Output> Output::open(const std::optional<std::string>& file) {
    if (!file || *file == "-") return Output({}, {}, STDOUT_FILENO);
    if (is_special(*file)) {
        const int descriptor = ::open(file->c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) return not_writable(*file);
        return Output(*file, {}, descriptor);
    }
    std::string temporary = *file + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) return not_writable(*file);
    // mkostemp makes a private file; a result is as readable as any other that the user makes.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, kFileMode & ~mask);
    return Output(*file, std::move(temporary), descriptor);
}

Output::Output(std::string file, std::string temporary, int descriptor)
    : file_(std::move(file)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

Output::Output(Output&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::exchange(other.buffer_, {})) {}

Output::~Output() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status Output::write(std::string_view text) {
    buffer_.append(text);
    return buffer_.size() < kBufferBytes ? Status{} : flush();
}

Status Output::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t count = ::write(descriptor_, left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failure("cannot be written");
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer_.clear();
    return {};
}

Status Output::finish() {
    if (Status flushed = flush(); !flushed) return flushed;
    if (temporary_.empty()) return {};
    if (::fsync(descriptor_) != 0) return failure("cannot be synced");
    if (std::rename(temporary_.c_str(), file_.c_str()) != 0) return failure("cannot be renamed");
    temporary_.clear();
    return {};
}

Status print(std::string_view text) {
    auto out = Output::open(std::nullopt);
    if (!out) return out.error();
    if (Status written = out->write(text); !written) return written;
    return out->finish();
}

Error Output::failure(std::string_view what) const {
    const std::string_view name = file_.empty() ? std::string_view("<stdout>") : file_;
    return {ErrorKind::internal, fmt::format("{}: {}: {}", name, what, std::strerror(errno))};
}

}  // namespace evalfleet::cli
