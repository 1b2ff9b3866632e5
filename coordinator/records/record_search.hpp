#pragma once

#include "common/result/result.hpp"
#include "coordinator/records/record_filter.hpp"
#include "coordinator/records/record_index.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::records {

struct PageRequest {
    RecordFilter filter{};
    std::uint64_t first = 0;   ///< the number of the first record to look at
    std::uint64_t offset = 0;  ///< so many matches are passed over
    std::size_t limit = 50;
    std::uint64_t max_read_bytes = std::uint64_t{64} * 1024 * 1024;  ///< of records, at most
};

struct RecordPage {
    std::vector<std::string> records;    ///< lines as they stand in the file
    std::optional<std::uint64_t> total;  ///< matches from `first` on, where keys decide alone
    std::optional<std::uint64_t> next;   ///< where to look on; nothing: that was all
};

/// Finds one page of records, in the order of the file, in memory that does not depend on its size.
/// What the keys decide is looked up in the index; what they do not is read, up to a bound. Blocks.
[[nodiscard]] Result<RecordPage> blocking_search(const std::filesystem::path& records,
                                                 const RecordIndex& index,
                                                 const PageRequest& request);

}  // namespace evalfleet::records
