#pragma once

#include "cli/run_views.hpp"
#include "common/job/sample.hpp"
#include "common/job/trial_record.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// As run_views.hpp: what a coordinator keeps, for people. Pure.
namespace evalfleet::cli {

[[nodiscard]] Result<std::string> trials_table(std::string_view answer, Width width);
/// Of all datasets, or of the versions of one.
[[nodiscard]] Result<std::string> datasets_table(std::string_view answer, Width width);
[[nodiscard]] Result<std::string> groups_table(std::string_view answer, Width width);
/// One group: its runs, and how they compare.
[[nodiscard]] Result<std::string> group_runs_table(std::string_view answer, Width width);

/// What a sample asks for.
struct ShownSample {
    std::string task;
    std::string context;    ///< empty: none
    std::string reference;  ///< empty: none
};
/// A sample with all its repeats: question, answers, scores, reasons. `sample`: empty if its text
/// is not known.
[[nodiscard]] std::string sample_text(const std::optional<ShownSample>& sample,
                                      std::span<const job::TrialRecord> trials);

}  // namespace evalfleet::cli
