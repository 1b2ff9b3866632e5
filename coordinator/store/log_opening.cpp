// How a DurableLog is opened, whatever became of its file.
#include "common/files/atomic_file.hpp"
#include "coordinator/store/durable_log.hpp"
#include "coordinator/store/log_epoch.hpp"
#include "coordinator/store/log_salvage.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::store {

namespace {

constexpr std::string_view kMagic = "EFLOG01\n";

Result<bool> blocking_has_frames(const files::File& file, std::uint64_t size) {
    PatientReader reader(file);
    FrameWalker walker(
        [&reader](std::uint64_t offset, std::span<char> buffer) {
            return reader.blocking_read(offset, buffer);
        },
        0, size, std::size_t{1} << 20);
    return walker.blocking_find_next();
}

// So many epochs may have begun in what is damaged.
std::uint64_t count_possible_epochs(const std::vector<LogDamage>& damage) {
    std::uint64_t count = 0;
    for (const LogDamage& place : damage)
        count += place.bytes / kFrameOverhead + 1;
    return count;
}

}  // namespace

std::uint64_t DurableLog::Recovery::count_damaged_bytes() const noexcept {
    std::uint64_t bytes = missing_bytes;
    for (const LogDamage& place : damage)
        bytes += place.bytes;
    return bytes;
}

std::string DurableLog::Recovery::describe_damage() const {
    if (!is_damaged()) return "";
    std::string text = "the run's log was damaged: ";
    if (!damage.empty()) {
        text += std::to_string(damage.size()) + (damage.size() == 1 ? " place" : " places") +
                ", the first at byte " + std::to_string(damage.front().offset) + ", ";
    }
    if (missing_bytes > 0) text += std::to_string(missing_bytes) + " bytes missing at its end, ";
    return text + std::to_string(count_damaged_bytes()) +
           " bytes in all; the trials that were there run again";
}

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
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (const auto synced = files::blocking_sync_folder(folder); !synced) return synced.error();
    return log;
}

// Leaves the file with a beginning of ours, unless it is somebody else's.
Status DurableLog::blocking_check_beginning() {
    const auto size = file_.blocking_size();
    if (!size) return size.error();
    std::string begin(std::min<std::uint64_t>(*size, kMagic.size()), '\0');
    PatientReader reader(file_);
    if (const auto read = reader.blocking_read(0, begin); !read) return read;
    size_ = kMagic.size();
    if (begin == kMagic) return {};
    if (!kMagic.starts_with(begin)) {
        const auto has_frames = blocking_has_frames(file_, *size);
        if (!has_frames) return has_frames.error();
        if (!*has_frames && reader.failure()) return *reader.failure();
        if (!*has_frames) {
            return Error{ErrorKind::invalid, file_.path().string() + ": is not a log of evalfleet"};
        }
        recovery_.damage.push_back({0, kMagic.size()});
        if (auto kept = blocking_keep_damage(file_, recovery_.damage); !kept) return kept;
    }
    // Torn or damaged: mended, or begun.
    return file_.blocking_write_at(0, kMagic);
}

Status DurableLog::blocking_recover(const OnEntry& on_entry) {
    if (const auto checked = blocking_check_beginning(); !checked) return checked;
    const auto file_size = file_.blocking_size();
    if (!file_size) return file_size.error();
    PatientReader reader(file_);
    const auto read = [&reader](std::uint64_t offset, std::span<char> buffer) {
        return reader.blocking_read(offset, buffer);
    };
    const auto pass_on = [&on_entry](const Entry& entry, std::uint64_t offset) {
        if (entry.kind != EntryKind::epoch) on_entry(entry, offset);
    };
    const auto content = blocking_read_log(read, size_, *file_size, pass_on);
    if (!content) return content.error();
    // Not a damaged log, but a disk that gives nothing at all.
    if (content->entries == 0 && reader.failure()) return *reader.failure();
    recovery_.entries = entries_ = content->entries;
    recovery_.cut_bytes = content->torn_bytes;
    recovery_.damage.insert(recovery_.damage.end(), content->damage.begin(), content->damage.end());
    size_ = *file_size - content->torn_bytes;
    if (content->torn_bytes > 0)
        if (const auto cut = file_.blocking_truncate(size_); !cut) return cut;
    if (const auto kept = blocking_keep_damage(file_, content->damage); !kept) return kept;
    return blocking_begin_epoch(content->epoch);
}

// It is written beside the log first: whatever is lost of the two, no epoch is begun twice.
Status DurableLog::blocking_begin_epoch(std::uint64_t last_epoch) {
    const auto known = blocking_read_epoch(file_.path());
    if (known && known->log_bytes > size_) recovery_.missing_bytes = known->log_bytes - size_;
    epoch_ = std::max(last_epoch, known ? known->epoch : 0) + 1;
    if (!known) epoch_ += count_possible_epochs(recovery_.damage);
    if (auto noted = blocking_write_epoch(file_.path(), {epoch_, size_}); !noted) return noted;
    std::string frame;
    append_frame(frame, {EntryKind::epoch, epoch_, {}});
    return blocking_write(frame, 1);
}

}  // namespace evalfleet::store
