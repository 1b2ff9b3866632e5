#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace evalfleet::reduce {

class RecordTable;

struct ReduceOptions {
    unsigned threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
    /// Samples x repeats, if that is known: a run with fewer records is marked incomplete.
    std::optional<std::uint64_t> expected_trials{};
    /// See job::Extra.
    std::optional<std::uint64_t> saved_calls{};
};

/// Reads the records of one run, in one file or spread over several, in any order, and reduces
/// them. Errors name file, line and field: `invalid` for records that are malformed, out of range
/// or given twice, `not_found` for a file that is not there, `internal` if it cannot be read.
///
/// Derived fields (scores, passes, labels) are taken as the records have them: the record is the
/// truth, and `derive` is the place that makes it.
[[nodiscard]] Result<job::Summary> reduce_files(std::span<const std::filesystem::path> files,
                                                const job::Policy& policy,
                                                ReduceOptions options = {});

/// The same for records that are already loaded. A pure function of table and policy.
[[nodiscard]] job::Summary reduce(const RecordTable& table, const job::Policy& policy,
                                  ReduceOptions options = {});

}  // namespace evalfleet::reduce
