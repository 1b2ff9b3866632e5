#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/trial_record.hpp"

#include <set>
#include <string>
#include <string_view>

namespace evalfleet::runs {

/// What a run's metadata can only tell when its records are there: which models and builds
/// answered, where the calls were made from, and which generation parameters were really sent. Of
/// names that the other side makes up it keeps the first 64, and counts the rest as `other`.
class ReportedFacts {
  public:
    void add(const job::TrialRecord& record);

    /// Enters everything. A model, or a judge, whose version nobody gave has the one that the
    /// provider reported, if that was the same all the time.
    void enter(job::RunMetadata& metadata) const;

  private:
    job::NameCounts models_;
    job::NameCounts fingerprints_;
    job::NameCounts evaluator_models_;
    job::NameCounts environments_;
    std::set<std::string, std::less<>> left_out_;        // parameters that any request went without
    std::set<std::string, std::less<>> judge_left_out_;  // likewise, of the judge's
};

}  // namespace evalfleet::runs
