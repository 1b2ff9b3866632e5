#include "common/files/atomic_file.hpp"

#include "common/files/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace evalfleet::files {

namespace {

constexpr std::size_t kGatherBytes = std::size_t{256} * 1024;

constexpr int kMostTries = 100;

std::filesystem::path folder_of(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

Result<AtomicFile> AtomicFile::blocking_create(const std::filesystem::path& target) {
    AtomicFile atomic;
    atomic.target_ = target;
    for (int tries = 0; tries < kMostTries; ++tries) {
        std::filesystem::path hidden = target;
        hidden.replace_filename(part_name(target.filename().string()));
        // Not mkstemp: whether others may read the file is the business of the umask.
        const int descriptor = ::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (descriptor < 0 && errno == EEXIST) continue;
        if (descriptor < 0) return last_system_error("cannot create", target);
        atomic.file_ = File(descriptor, hidden);
        return atomic;
    }
    return last_system_error("cannot create", target);
}

AtomicFile::~AtomicFile() {
    // After a commit the file has no hidden name any more.
    if (!target_.empty() && !file_.path().empty()) ::unlink(file_.path().c_str());
}

Status AtomicFile::blocking_append(std::string_view bytes) {
    pending_.append(bytes);
    if (pending_.size() < kGatherBytes) return {};
    return blocking_flush();
}

Status AtomicFile::blocking_flush() {
    if (const auto written = file_.blocking_write_at(written_, pending_); !written) return written;
    written_ += pending_.size();
    pending_.clear();
    return {};
}

Status AtomicFile::blocking_commit() {
    if (const auto flushed = blocking_flush(); !flushed) return flushed;
    if (const auto synced = file_.blocking_sync(); !synced) return synced;
    if (std::rename(file_.path().c_str(), target_.c_str()) != 0)
        return last_system_error("cannot rename to it", target_);
    const std::filesystem::path target = std::exchange(target_, {});
    return blocking_sync_folder(folder_of(target));
}

Status blocking_write_atomically(const std::filesystem::path& target, std::string_view content) {
    auto file = AtomicFile::blocking_create(target);
    if (!file) return file.error();
    if (const auto appended = file->blocking_append(content); !appended) return appended;
    return file->blocking_commit();
}

Status blocking_sync_folder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return last_system_error("cannot open", folder);
    const int synced = ::fsync(descriptor);
    Status status;
    if (synced != 0) status = last_system_error("cannot write to the disk", folder);
    ::close(descriptor);
    return status;
}

}  // namespace evalfleet::files
