#include "coordinator/store/durable_log.hpp"

#include "coordinator/store/log_salvage.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

namespace evalfleet::store {

namespace {

constexpr std::size_t kLookUpBytes = std::size_t{8} * 1024;  // a read when one is looked up
constexpr std::uint64_t kMagicBytes = 8;

ReadAt reader_of(const files::File& file) {
    return [&file](std::uint64_t offset, std::span<char> buffer) {
        return file.blocking_read_at(offset, buffer);
    };
}

// Pages in memory may be newer than what the disk has: after a failed sync they are not to be
// believed.
void blocking_drop_cache(const files::File& file) {
    (void)::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

Error DurableLog::fenced() const {
    return {ErrorKind::lease_lost,
            file_.path().string() + ": another coordinator wrote to this log"};
}

Status DurableLog::blocking_write(std::string_view bytes, std::size_t entries) {
    if (is_suspect_)
        if (auto reopened = blocking_reopen(); !reopened) return reopened;
    const auto size = file_.blocking_size();
    if (!size) return size.error();
    if (*size != size_) return fenced();
    if (auto written = file_.blocking_write_at(size_, bytes); !written) {
        if (!file_.blocking_truncate(size_)) is_suspect_ = true;
        return written;
    }
    if (auto synced = file_.blocking_sync(); !synced) {
        is_suspect_ = true;
        return synced;
    }
    size_ += bytes.size();
    entries_ += entries;
    return {};
}

bool DurableLog::blocking_is_in_place() const {
    struct stat ours {};
    struct stat there {};
    return ::fstat(file_.descriptor(), &ours) == 0 && ::stat(file_.path().c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

Status DurableLog::blocking_reopen() {
    if (is_broken_) {
        return Error{ErrorKind::internal, file_.path().string() +
                                              ": what was written before cannot be found again; it "
                                              "has to be opened anew"};
    }
    if (!blocking_is_in_place()) return fenced();
    auto fresh = files::File::blocking_open(file_.path(), files::File::Mode::read_write);
    if (!fresh) return fresh.error();
    // The old lock ends with the old descriptor; who takes it in between has the log.
    file_ = files::File();
    const auto locked = fresh->blocking_try_lock();
    file_ = std::move(*fresh);
    if (!locked) return locked.error();
    if (!*locked) return fenced();
    if (auto read = blocking_reread(); !read) return read;
    is_suspect_ = false;
    return {};
}

// Leaves the file with what was known to be on the disk before, or says that this is not there.
Status DurableLog::blocking_reread() {
    const auto size = file_.blocking_size();
    if (!size) return size.error();
    const auto sound = *size < size_ ? Result<bool>(false) : blocking_is_sound();
    if (!sound) return sound.error();
    if (!*sound) {
        is_broken_ = true;
        return blocking_reopen();
    }
    const auto behind = blocking_read_log(reader_of(file_), size_, *size, [](const auto&, auto) {});
    if (!behind) return behind.error();
    if (behind->epoch > 0) return fenced();
    if (auto cut = file_.blocking_truncate(size_); !cut) return cut;
    return file_.blocking_sync();
}

Result<bool> DurableLog::blocking_is_sound() const {
    blocking_drop_cache(file_);
    PatientReader reader(file_);
    const auto read = [&reader](std::uint64_t offset, std::span<char> buffer) {
        return reader.blocking_read(offset, buffer);
    };
    const auto content = blocking_read_log(read, kMagicBytes, size_, [](const auto&, auto) {});
    if (!content) return content.error();
    return content->entries == entries_ && content->epoch == epoch_;
}

Result<std::vector<std::uint64_t>> DurableLog::blocking_append(std::span<const Entry> entries) {
    std::string batch;
    std::vector<std::uint64_t> offsets;
    offsets.reserve(entries.size());
    for (const Entry& entry : entries) {
        offsets.push_back(size_ + batch.size());
        append_frame(batch, entry);
    }
    if (const auto written = blocking_write(batch, entries.size()); !written)
        return written.error();
    return offsets;
}

Result<std::string> DurableLog::blocking_read(std::uint64_t offset) const {
    FrameWalker walker(reader_of(file_), offset, size_, kLookUpBytes);
    const auto frame = walker.blocking_next();
    if (!frame) return frame.error();
    if (!*frame || (*frame)->entry.kind != EntryKind::record) {
        return Error{ErrorKind::internal,
                     file_.path().string() + ": no sound record at byte " + std::to_string(offset)};
    }
    return std::string((*frame)->entry.bytes);
}

}  // namespace evalfleet::store
