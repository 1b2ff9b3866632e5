#pragma once

#include "common/job/run_metadata.hpp"
#include "common/result/result.hpp"
#include "coordinator/reduce/comparison.hpp"
#include "coordinator/store/run_folder.hpp"

#include <optional>
#include <string>

namespace evalfleet::runs {

/// How a run compares with the baseline that its run file names. A part of the verdict: a run that
/// is worse, or of which that cannot be told, is not ready for release.
struct RegressionCheck {
    std::string baseline;
    std::string baseline_run_id;
    std::optional<reduce::RunComparison> comparison;  ///< none: they cannot be compared
    std::string not_comparable_reason;                ///< why not

    [[nodiscard]] reduce::Decision decision() const {
        return comparison ? comparison->decision() : reduce::Decision::cannot_tell;
    }
    /// Neither worse nor unknown.
    [[nodiscard]] bool passed() const {
        return is_known() && decision() != reduce::Decision::worse;
    }
    [[nodiscard]] bool is_known() const { return decision() != reduce::Decision::cannot_tell; }
    /// In one sentence, for people.
    [[nodiscard]] std::string verdict() const;
};

/// Compares a run whose records and metadata are written with its baseline; nothing if it has none.
/// Blocks, for seconds on large runs.
[[nodiscard]] std::optional<RegressionCheck> blocking_check_regression(
    const store::RunFolder& folder, const job::RunMetadata& metadata);

/// `regression.json`: pretty, with a line feed at the end.
[[nodiscard]] std::string to_json(const RegressionCheck& check);

/// A section for the end of a report.
[[nodiscard]] std::string to_markdown(const RegressionCheck& check);
[[nodiscard]] std::string to_html(const RegressionCheck& check);

}  // namespace evalfleet::runs
