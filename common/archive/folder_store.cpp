#include "common/archive/folder_store.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/files/folder.hpp"
#include "common/job/manifest.hpp"

#include <algorithm>
#include <span>
#include <system_error>

namespace evalfleet::archive {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

bool blocking_has(const fs::path& path, const RunFile& file) {
    std::error_code code;
    if (!fs::is_regular_file(path, code) || fs::file_size(path, code) != file.bytes) return false;
    const auto hash = job::blocking_sha256_file(path);
    return hash && *hash == file.sha256;
}

// Appears whole, once it is on the disk.
Status blocking_copy(const fs::path& source, std::uint64_t bytes, const fs::path& target) {
    if (const Status made = files::blocking_make_folders(target.parent_path()); !made) return made;
    const auto from = files::File::blocking_open(source, files::File::Mode::read);
    if (!from) return from.error();
    auto to = files::AtomicFile::blocking_create(target);
    if (!to) return to.error();
    std::string piece;
    for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
        piece.resize(static_cast<std::size_t>(std::min(kPieceBytes, bytes - at)));
        if (const Status read = from->blocking_read_at(at, std::span(piece)); !read) return read;
        if (const Status written = to->blocking_append(piece); !written) return written;
    }
    return to->blocking_commit();
}

}  // namespace

asio::awaitable<Result<bool>> FolderStore::has(const std::string& name, const RunFile& file) {
    auto look = [path = root_ / name, &file] { return blocking_has(path, file); };
    const bool is_there = co_await pool_.run(look);
    co_return is_there;
}

asio::awaitable<Status> FolderStore::put(const std::string& name, const RunFile& file,
                                         fs::path source) {
    auto copy = [path = root_ / name, &file, &source] {
        return blocking_copy(source, file.bytes, path);
    };
    co_return co_await pool_.run(copy);
}

asio::awaitable<Result<std::string>> FolderStore::hash(const std::string& name, const RunFile&) {
    auto read = [path = root_ / name] { return job::blocking_sha256_file(path); };
    co_return co_await pool_.run(read);
}

}  // namespace evalfleet::archive
