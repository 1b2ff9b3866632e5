#include "coordinator/records/record_text.hpp"

#include <algorithm>

namespace evalfleet::records {

namespace {

constexpr std::size_t kAhead = 1024 * 1024;

}  // namespace

Result<RecordText> RecordText::blocking_open(const TrialTable& table) {
    auto file = reduce::RecordFile::open(table.file());
    if (!file) return file.error();
    return RecordText(std::move(*file));
}

Result<std::string_view> RecordText::blocking_read(const TrialEntry& trial) {
    const std::uint64_t end = trial.offset + trial.bytes;
    if (!has(trial.offset, end)) {
        // Between records stands a line feed, or the head of a frame of the log.
        constexpr std::uint64_t kNear = 64;
        const bool is_next = trial.offset >= next_ && trial.offset - next_ <= kNear;
        const std::size_t wanted =
            is_next ? std::max<std::size_t>(trial.bytes, kAhead) : trial.bytes;
        buffer_.resize(std::max(buffer_.size(), wanted));
        const auto read = file_.read(trial.offset, std::span(buffer_.data(), wanted));
        if (!read) return read.error();
        at_ = trial.offset;
        filled_ = *read;
        if (filled_ < trial.bytes) return Error{ErrorKind::internal, "the records were cut"};
    }
    next_ = end;
    auto text =
        std::string_view(buffer_).substr(static_cast<std::size_t>(trial.offset - at_), trial.bytes);
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

std::string excerpt(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return std::string(text);
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

}  // namespace evalfleet::records
