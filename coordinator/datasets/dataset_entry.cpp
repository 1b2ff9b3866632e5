#include "coordinator/datasets/dataset_entry.hpp"

#include <algorithm>

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
    const auto id = value.get<std::string>("id");
    const auto version = value.optional<std::string>("version");
    const auto hash = value.get<std::string>("hash");
    const auto samples = value.get<std::uint64_t>("samples");
    const auto bytes = value.get<std::uint64_t>("bytes");
    const auto at = value.get_or<std::string>("uploaded_at", "");
    const auto by = value.get_or<std::string>("uploaded_by", "");
    if (!id) return id.error();
    if (!version) return version.error();
    if (!hash) return hash.error();
    if (!samples) return samples.error();
    if (!bytes) return bytes.error();
    if (!at) return at.error();
    if (!by) return by.error();
    return DatasetEntry{*id, *version, *hash, *samples, *bytes, *at, *by};
}

bool is_dataset_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= 64 && id.front() != '.' &&
           std::all_of(id.begin(), id.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
           });
}

}  // namespace evalfleet::datasets
