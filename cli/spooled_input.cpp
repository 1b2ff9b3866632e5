#include "cli/spooled_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool copy_stdin(int descriptor) {
    std::string piece(kPieceBytes, '\0');
    while (true) {
        const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0;
        if (!write_all(descriptor, {piece.data(), static_cast<std::size_t>(count)})) return false;
    }
}

}  // namespace

Result<SpooledInput> SpooledInput::open(const std::string& file) {
    if (file != "-") return SpooledInput(file, false);
    std::error_code failure;
    auto folder = std::filesystem::temp_directory_path(failure);
    if (failure) folder = ".";
    std::string name = (folder / "evalfleet-stdin-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) {
        return Error{ErrorKind::internal, fmt::format("{}: {}", name, std::strerror(errno))};
    }
    SpooledInput spooled(name, true);
    const bool copied = copy_stdin(descriptor);
    const std::string reason = std::strerror(errno);
    ::close(descriptor);
    if (!copied) return Error{ErrorKind::internal, fmt::format("<stdin>: {}", reason)};
    return spooled;
}

SpooledInput::SpooledInput(std::filesystem::path path, bool temporary)
    : path_(std::move(path)), temporary_(temporary) {}

SpooledInput::SpooledInput(SpooledInput&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}

Error SpooledInput::locate(const Error& error) const {
    Error located = error;
    if (temporary_ && error.message.starts_with(path_.native())) {
        located.message.replace(0, path_.native().size(), "<stdin>");
    }
    return located;
}

SpooledInput::~SpooledInput() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove(path_, ignored);
}

}  // namespace evalfleet::cli
