#include "coordinator/records/record_text.hpp"

namespace evalfleet::records {

Result<RecordText> RecordText::blocking_open(const TrialTable& table) {
    auto file = reduce::RecordFile::open(table.file());
    if (!file) return file.error();
    return RecordText(std::move(*file));
}

Result<std::string> RecordText::blocking_read(const TrialEntry& trial) const {
    std::string text(trial.bytes, '\0');
    const auto read = file_.read(trial.offset, text);
    if (!read) return read.error();
    if (*read < text.size()) return Error{ErrorKind::internal, "the records were cut"};
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.pop_back();
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
