#pragma once

#include "common/job/policy.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/summary.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace evalfleet::reduce {

class RecordTable;

struct ReduceOptions {
    unsigned threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
    /// Samples x repeats, if that is known: a run with fewer records is marked incomplete.
    std::optional<std::uint64_t> expected_trials{};
    std::uint64_t repeats = 1;  ///< of each sample
    /// See job::Extra. Intervals that hold for a run that ended early need its id as well.
    std::optional<std::uint64_t> saved_calls{};
    /// Which run it is of, if that is known; see job::Summary.
    std::optional<std::string> run_id{};
    std::optional<std::string> dataset_hash{};
};

/// What `run.json` says about the records of its run.
[[nodiscard]] ReduceOptions options_of(const job::RunMetadata& metadata);

/// Reads the records of one run, in one file or spread over several, in any order, and reduces
/// them. Errors name file, line and field: `invalid` for records that are malformed, out of range
/// or given twice, `not_found` for a file that is not there, `internal` if it cannot be read.
///
/// Derived fields (scores, passes, labels) are taken as the records have them: the record is the
/// truth, and `derive` is the place that makes it.
[[nodiscard]] Result<job::Summary> reduce_files(std::span<const std::filesystem::path> files,
                                                const job::Policy& policy,
                                                const ReduceOptions& options = {});

/// The same for records that are already loaded. A pure function of table, policy and options.
[[nodiscard]] job::Summary reduce(const RecordTable& table, const job::Policy& policy,
                                  const ReduceOptions& options = {});

}  // namespace evalfleet::reduce
