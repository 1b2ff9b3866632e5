#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/job/trial_record.hpp"
#include "common/runfile/labels_file.hpp"
#include "coordinator/runs/joined_dataset.hpp"
#include "coordinator/store/run_folder.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace evalfleet::runs {

/// Scores that people gave, as `LabelsFile` reads them.
struct GivenLabels {
    std::string text;     ///< JSON Lines
    std::string version;  ///< of the rubric that they followed; empty: the text is its own version
};

/// What the stored answers of a run are scored by when people judge them anew.
class PeoplesScores {
  public:
    /// `spec`, that of the new run, has no judge from now on. `invalid`, with lines of `labels`, if
    /// the text is wrong or fits no sample of `source`. `store`: where files may stand meanwhile.
    /// Blocks.
    [[nodiscard]] static Result<PeoplesScores> blocking_take(const std::filesystem::path& store,
                                                             const store::RunFolder& source,
                                                             const GivenLabels& given,
                                                             job::RunSpec& spec);

    /// Enters who judged: nobody but people.
    void describe(const job::RunSpec& spec, job::RunMetadata& metadata) const;

    /// Scores an answered trial; one without a label loses its scores.
    void apply(job::TrialRecord& record) const;

    /// The data set with the labels beside its samples.
    [[nodiscard]] const JoinedDataset& lines() const noexcept { return lines_; }

  private:
    PeoplesScores(runfile::LabelsFile labels, JoinedDataset lines)
        : labels_(std::move(labels)), lines_(std::move(lines)) {}

    runfile::LabelsFile labels_;
    JoinedDataset lines_;
};

}  // namespace evalfleet::runs
