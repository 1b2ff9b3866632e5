#include "coordinator/store/durable_log.hpp"

#include "common/files/atomic_file.hpp"

#include <algorithm>

namespace evalfleet::store {

namespace {

constexpr std::string_view kMagic = "EFLOG01\n";
constexpr std::size_t kScanBytes = std::size_t{4} * 1024 * 1024;  // a read when all is walked over
constexpr std::size_t kLookUpBytes = std::size_t{8} * 1024;       // a read when one is looked up

// Walks over the frames of a file with one buffer that grows to the largest frame.
class FrameWalker {
  public:
    FrameWalker(const files::File& file, std::uint64_t offset, std::uint64_t size,
                std::size_t read_bytes)
        : file_(file), offset_(offset), size_(size), read_bytes_(read_bytes) {}

    // The next sound frame; none at the end or where the file is not sound any more.
    Result<std::optional<Frame>> blocking_next() {
        if (current_ > 0) {
            begin_ += current_;
            offset_ += current_;
            current_ = 0;
        }
        if (const auto filled = blocking_fill(kFrameOverhead); !filled) return filled.error();
        if (available() < kFrameOverhead) return std::optional<Frame>();
        const auto wanted = frame_size(rest());
        if (!wanted) return std::optional<Frame>();
        if (const auto filled = blocking_fill(*wanted); !filled) return filled.error();
        const auto frame = read_frame(rest());
        if (frame) current_ = frame->size;
        return frame;
    }

    // Where the frame that was returned last begins, or the sound part ends.
    [[nodiscard]] std::uint64_t offset() const { return offset_; }

  private:
    [[nodiscard]] std::size_t available() const { return buffer_.size() - begin_; }
    [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }

    Status blocking_fill(std::size_t wanted) {
        if (available() >= wanted) return {};
        buffer_.erase(0, begin_);
        begin_ = 0;
        const std::uint64_t left = size_ - offset_ - buffer_.size();
        const std::size_t more = static_cast<std::size_t>(
            std::min<std::uint64_t>(left, std::max(read_bytes_, wanted) - buffer_.size()));
        const std::size_t old = buffer_.size();
        buffer_.resize(old + more);
        return file_.blocking_read_at(offset_ + old, std::span(buffer_).subspan(old));
    }

    const files::File& file_;
    std::uint64_t offset_;
    std::uint64_t size_;
    std::size_t read_bytes_;
    std::string buffer_;
    std::size_t begin_ = 0;    // of what is not walked over yet
    std::size_t current_ = 0;  // size of the frame that was returned last
};

}  // namespace

Result<DurableLog> DurableLog::blocking_open(const std::filesystem::path& path,
                                             const OnEntry& on_entry) {
    auto file = files::File::blocking_open(path, files::File::Mode::read_write);
    if (!file) return file.error();
    const auto locked = file->blocking_try_lock();
    if (!locked) return locked.error();
    if (!*locked)
        return Error{ErrorKind::transient, path.string() + ": another coordinator holds this log"};

    DurableLog log;
    log.file_ = std::move(*file);
    if (const auto recovered = log.blocking_recover(on_entry); !recovered) return recovered.error();
    ++log.epoch_;
    std::string frame;
    append_frame(frame, {EntryKind::epoch, log.epoch_, {}});
    if (const auto written = log.blocking_write(frame); !written) return written.error();
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (const auto synced = files::blocking_sync_folder(folder); !synced) return synced.error();
    return log;
}

Status DurableLog::blocking_check_magic() {
    const auto size = file_.blocking_size();
    if (!size) return size.error();
    std::string begin(std::min<std::uint64_t>(*size, kMagic.size()), '\0');
    if (const auto read = file_.blocking_read_at(0, begin); !read) return read;
    if (!kMagic.starts_with(begin)) {
        return Error{ErrorKind::invalid, file_.path().string() + ": is not a log of evalfleet"};
    }
    // Also mends a beginning that was torn.
    if (begin.size() < kMagic.size()) {
        if (const auto written = file_.blocking_write_at(0, kMagic); !written) return written;
    }
    size_ = kMagic.size();
    return {};
}

Status DurableLog::blocking_recover(const OnEntry& on_entry) {
    if (const auto checked = blocking_check_magic(); !checked) return checked;
    const auto file_size = file_.blocking_size();
    if (!file_size) return file_size.error();
    FrameWalker walker(file_, size_, *file_size, kScanBytes);
    for (;;) {
        const auto frame = walker.blocking_next();
        if (!frame) return frame.error();
        if (!*frame) break;
        const Entry& entry = (*frame)->entry;
        ++recovery_.entries;
        if (entry.kind == EntryKind::epoch)
            epoch_ = std::max(epoch_, entry.number);
        else
            on_entry(entry, walker.offset());
    }
    size_ = walker.offset();
    recovery_.cut_bytes = *file_size - size_;
    if (recovery_.cut_bytes == 0) return {};
    return file_.blocking_truncate(size_);
}

Status DurableLog::blocking_write(std::string_view bytes) {
    const auto size = file_.blocking_size();
    if (!size) return size.error();
    if (*size != size_) {
        return Error{ErrorKind::lease_lost,
                     file_.path().string() + ": another coordinator wrote to this log"};
    }
    Status written = file_.blocking_write_at(size_, bytes);
    if (written) written = file_.blocking_sync();
    if (!written) {
        // Best effort: if the cut fails as well, the next size check stops us.
        (void)file_.blocking_truncate(size_);
        return written;
    }
    size_ += bytes.size();
    return {};
}

Result<std::vector<std::uint64_t>> DurableLog::blocking_append(std::span<const Entry> entries) {
    std::string batch;
    std::vector<std::uint64_t> offsets;
    offsets.reserve(entries.size());
    for (const Entry& entry : entries) {
        offsets.push_back(size_ + batch.size());
        append_frame(batch, entry);
    }
    if (const auto written = blocking_write(batch); !written) return written.error();
    return offsets;
}

Result<std::string> DurableLog::blocking_read(std::uint64_t offset) const {
    FrameWalker walker(file_, offset, size_, kLookUpBytes);
    const auto frame = walker.blocking_next();
    if (!frame) return frame.error();
    if (!*frame || (*frame)->entry.kind != EntryKind::record) {
        return Error{ErrorKind::internal,
                     file_.path().string() + ": no sound record at byte " + std::to_string(offset)};
    }
    return std::string((*frame)->entry.bytes);
}

}  // namespace evalfleet::store
