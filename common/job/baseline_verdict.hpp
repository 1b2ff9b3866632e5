#pragma once

#include "common/job/run_metadata.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::job {

/// What came of the comparison of a run with the baseline that its run file names. A part of the
/// run's verdict, and none of its summary, which is about its own records alone: a run that did not
/// pass is not ready for release, whatever its gates say.
struct BaselineVerdict {
    bool passed = false;
    std::string text;      ///< what the run is: "significantly worse than the baseline main (r-1)"
    bool is_known = true;  ///< false: whether it is worse cannot be told
    bool operator==(const BaselineVerdict&) const = default;
};

inline constexpr std::string_view kRegressionName = "regression.json";

/// Reads what `regression.json` says. `invalid` names the member that is wrong. Pure.
[[nodiscard]] Result<BaselineVerdict> parse_baseline_verdict(std::string_view regression_json);

/// That of a run's folder; nothing if the run has no baseline. A check that was asked for and whose
/// result cannot be read is not known to have passed. Blocks.
[[nodiscard]] std::optional<BaselineVerdict> blocking_read_baseline_verdict(
    const std::filesystem::path& folder, const RunMetadata& metadata);

}  // namespace evalfleet::job
