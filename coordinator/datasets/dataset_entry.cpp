#include "coordinator/datasets/dataset_entry.hpp"

#include "common/json/member_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace evalfleet::datasets {

void write(json::Writer& writer, const DatasetEntry& entry) {
    writer.begin_object()
        .member("id", entry.id)
        .member("version", entry.version)
        .member("hash", entry.hash)
        .member("samples", entry.samples)
        .member("bytes", entry.bytes)
        .member("uploaded_at", entry.uploaded_at)
        .member("uploaded_by", entry.uploaded_by)
        .end_object();
}

Result<DatasetEntry> read_dataset_entry(json::Value value) {
    DatasetEntry entry;
    std::optional<std::string> at;
    std::optional<std::string> by;
    const Status read = json::MemberReader(value)
                            .take("id", entry.id)
                            .take("version", entry.version)
                            .take("hash", entry.hash)
                            .take("samples", entry.samples)
                            .take("bytes", entry.bytes)
                            .take("uploaded_at", at)
                            .take("uploaded_by", by)
                            .status();
    if (!read) return read.error();
    entry.uploaded_at = at.value_or("");
    entry.uploaded_by = by.value_or("");
    return entry;
}

bool is_dataset_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= 64 && id.front() != '.' &&
           std::all_of(id.begin(), id.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
           });
}

}  // namespace evalfleet::datasets
