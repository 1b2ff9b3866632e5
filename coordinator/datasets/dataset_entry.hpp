#pragma once

#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::datasets {

/// One content of a data set: what was uploaded under an id, perhaps as a version.
struct DatasetEntry {
    std::string id;
    std::optional<std::string> version;
    std::string hash;  ///< sha256 of the bytes, in hex
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::string uploaded_at;
    std::string uploaded_by;

    bool operator==(const DatasetEntry&) const = default;
};

void write(json::Writer& writer, const DatasetEntry& entry);
[[nodiscard]] Result<DatasetEntry> read_dataset_entry(json::Value value);

/// True if a data set may be called so: it becomes part of a path and of URLs.
[[nodiscard]] bool is_dataset_id(std::string_view id) noexcept;

}  // namespace evalfleet::datasets
