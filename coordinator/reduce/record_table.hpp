#pragma once

#include "common/result/result.hpp"
#include "coordinator/reduce/run_tally.hpp"
#include "coordinator/reduce/slice_dictionary.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace evalfleet::reduce {

/// All trials of a run, by dataset order and repeat, each (sample, repeat) once.
class RecordTable {
  public:
    RecordTable() = default;

    /// Rows are counted in 32 bits.
    static constexpr std::size_t kMostRows = 0xFFFF'FFFE;

    /// Sorts the rows. `invalid` if two have the same sample and repeat, `too_large` for too many.
    [[nodiscard]] static Result<RecordTable> make(std::vector<TrialRow> rows,
                                                  SliceDictionary slices, RunTally tally = {});

    [[nodiscard]] std::span<const TrialRow> rows() const noexcept { return rows_; }
    [[nodiscard]] const SliceDictionary& slices() const noexcept { return slices_; }
    [[nodiscard]] const RunTally& tally() const noexcept { return tally_; }

  private:
    std::vector<TrialRow> rows_;
    SliceDictionary slices_;
    RunTally tally_;
};

/// What is said of a record whose sample and repeat another record has.
[[nodiscard]] Error duplicate_error(const TrialRow& row);

struct LoadOptions {
    unsigned threads = 0;  ///< 0: as many as the machine has
    /// A thread reads so much at a time: copied and parsed while it is in the second-level cache.
    std::size_t block_bytes = 256 * 1024;
    std::size_t max_line_bytes = 64 * 1024 * 1024;  ///< longer lines are `too_large`
};

/// Reads files of one record a line; lines of white space only are skipped. The table, and the
/// error if there is one, do not depend on the number of threads: of several faulty lines the first
/// is reported, as `file:line: field: what is wrong`. Memory follows the rows, not the files.
[[nodiscard]] Result<RecordTable> load_records(std::span<const std::filesystem::path> files,
                                               const LoadOptions& options = {});

}  // namespace evalfleet::reduce
