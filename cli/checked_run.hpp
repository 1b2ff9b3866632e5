#pragma once

#include "common/runfile/dataset.hpp"
#include "common/runfile/labels_file.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/run_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::cli {

/// Under which terms a run file is looked at.
struct RunTerms {
    runfile::ProvidersFrom providers = runfile::ProvidersFrom::run_file;
    std::optional<std::string> operators{};  ///< the operator's providers file
    bool needs_keys = true;                  ///< false: its providers are simulated, or elsewhere
    bool is_uploaded = false;                ///< its dataset goes to a coordinator, labels cannot
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;
};

/// A run that can be started.
struct CheckedRun {
    runfile::RunFile file;
    std::optional<runfile::Dataset> dataset;       ///< none: one that a coordinator has
    std::optional<runfile::LabelCoverage> labels;  ///< if people give the scores
    /// The file's `providers` as JSON, with paths that hold wherever a worker stands.
    std::string providers_json;
};

/// Finds everything that is wrong with a run file, its dataset, labels, providers and their keys,
/// each at its line, and all at once: what cannot be read does not hide what else is wrong.
/// `validate`, `run` and `submit` all ask here, so that they agree. Blocks: reads files.
[[nodiscard]] boost::system::result<CheckedRun, runfile::FaultList> blocking_check_run(
    const std::filesystem::path& run_file, const RunTerms& terms);

/// A `providers` block whose files are found from `folder`, wherever a worker stands. Pure.
[[nodiscard]] std::string with_absolute_key_files(std::string_view providers_json,
                                                  const std::filesystem::path& folder);

}  // namespace evalfleet::cli
