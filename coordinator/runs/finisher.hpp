#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/summary.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/regression.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/store/durable_log.hpp"
#include "coordinator/store/run_folder.hpp"

#include <optional>
#include <stop_token>

namespace evalfleet::runs {

/// What came of a run.
struct FinishedRun {
    job::Summary summary;
    std::optional<RegressionCheck> regression;  ///< if its run file names a baseline
};

/// What the summary of a run would say if it ended now. Nobody may write to the log meanwhile.
/// Blocks, for seconds on a large run.
[[nodiscard]] Result<job::Summary> blocking_summarise(const store::RunFolder& folder,
                                                      const store::DurableLog& log,
                                                      const RunBook& book,
                                                      const job::RunMetadata& metadata,
                                                      const std::stop_token& stop = {});

/// Writes the files of a run that is over: the records sorted by (sample_index, repeat), the
/// summary reduced from them, the comparison with its baseline, the reports, and last the manifest.
/// Each file appears whole; a crash in between is repaired by doing it all again. Blocks, for
/// seconds on a large run.
///
/// `metadata` is what run.json said so far; what only the end knows is filled in. Throws
/// operation_aborted if it is to stop while records are written.
[[nodiscard]] Result<FinishedRun> blocking_finish(const store::RunFolder& folder,
                                                  const store::DurableLog& log, const RunBook& book,
                                                  job::RunMetadata metadata,
                                                  const std::stop_token& stop = {});

}  // namespace evalfleet::runs
