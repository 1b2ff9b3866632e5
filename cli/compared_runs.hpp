#pragma once

#include "cli/remote/session.hpp"
#include "common/result/result.hpp"
#include "coordinator/report/comparison_html.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::cli {

/// So many trials that flipped are shown with their answers.
inline constexpr std::size_t kMostComparedTrials = 200;

/// What is shown of a comparison of two folders: the first trials that flipped by the Rubric's
/// condition, with question and answers. Blocks.
[[nodiscard]] Result<report::ComparedRuns> blocking_read_compared_runs(
    const std::filesystem::path& base, const std::filesystem::path& candidate,
    const reduce::RunComparison& comparison);

/// The same of two runs at a coordinator. Blocks.
[[nodiscard]] Result<report::ComparedRuns> blocking_fetch_compared_runs(
    remote::Session& session, const std::string& base, const std::string& candidate,
    const reduce::RunComparison& comparison);

}  // namespace evalfleet::cli
