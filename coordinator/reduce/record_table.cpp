#include "coordinator/reduce/record_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::reduce {

Error duplicate_error(const TrialRow& row) {
    return {ErrorKind::invalid,
            fmt::format("sample_index {}, repeat {}: given twice", row.sample_index, row.repeat)};
}

Result<RecordTable> RecordTable::make(std::vector<TrialRow> rows, SliceDictionary slices,
                                      RunTally tally) {
    if (rows.size() > kMostRows) {
        return Error{ErrorKind::too_large, fmt::format("more than {} records", kMostRows)};
    }
    // Records of a finished run are sorted already.
    if (!std::ranges::is_sorted(rows, {}, &TrialRow::key)) {
        std::ranges::sort(rows, {}, &TrialRow::key);
    }
    const auto twice = std::ranges::adjacent_find(rows, {}, &TrialRow::key);
    if (twice != rows.end()) return duplicate_error(*twice);
    RecordTable table;
    table.rows_ = std::move(rows);
    table.slices_ = std::move(slices);
    table.tally_ = std::move(tally);
    return table;
}

}  // namespace evalfleet::reduce
