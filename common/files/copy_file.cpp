#include "common/files/copy_file.hpp"

#include "common/files/file.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

namespace evalfleet::files {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// By reading and writing: `copy_file_range` may share a page cache that is being changed.
Status blocking_copy_bytes(const File& from, File& to) {
    const auto size = from.blocking_size();
    if (!size) return size.error();
    std::string piece;
    for (std::uint64_t done = 0; done < *size; done += piece.size()) {
        piece.resize(std::min<std::uint64_t>(kPieceBytes, *size - done));
        if (auto read = from.blocking_read_at(done, piece); !read) return read;
        if (auto written = to.blocking_write_at(done, piece); !written) return written;
    }
    return {};
}

}  // namespace

Status blocking_copy_file(const std::filesystem::path& from, const std::filesystem::path& to) {
    auto source = File::blocking_open(from, File::Mode::read);
    if (!source) return source.error();
    auto target = File::blocking_open(to, File::Mode::create_new);
    if (!target) return target.error();
    const bool is_shared = ::ioctl(target->descriptor(), FICLONE, source->descriptor()) == 0;
    if (!is_shared)
        if (auto copied = blocking_copy_bytes(*source, *target); !copied) return copied;
    if (::fchmod(target->descriptor(), 0400) != 0)
        return last_system_error("cannot be protected", to);
    return target->blocking_sync();
}

}  // namespace evalfleet::files
