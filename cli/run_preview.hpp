#pragma once

#include "common/runfile/dataset.hpp"
#include "common/runfile/labels_file.hpp"
#include "common/runfile/run_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::cli {

/// What a run would do and cost, before it is started.
struct RunPreview {
    std::string run_file;
    std::string name;
    std::string dataset_path;  ///< or the id of one that a coordinator has
    std::optional<std::string> dataset_sha256;
    std::optional<std::uint64_t> samples;  ///< none: only a coordinator knows, nor what follows
    std::uint64_t repeats = 0;
    std::vector<std::string> models;           ///< provider/name@version
    std::vector<std::string> prompts;          ///< id and version
    std::string judge;                         ///< or who gave the labels
    std::uint64_t runs = 0;                    ///< models x prompts
    std::optional<std::uint64_t> trials;       ///< of all runs
    std::optional<std::uint64_t> model_calls;  ///< retries aside
    std::optional<std::uint64_t> judge_calls;
    std::optional<std::uint64_t> samples_without_label;  ///< if people give the scores
    std::vector<std::string> policy_overrides;  ///< "gates.min_pass_rate: 0.9 instead of 0.85"
    std::vector<std::string> warnings;
};

/// `coverage`: of a run that is scored from manual labels.
[[nodiscard]] RunPreview make_preview(
    const runfile::RunFile& file, const std::optional<runfile::Dataset>& dataset,
    const std::optional<runfile::LabelCoverage>& coverage = std::nullopt);

[[nodiscard]] std::string to_text(const RunPreview& preview);
[[nodiscard]] std::string to_json(const RunPreview& preview);

}  // namespace evalfleet::cli
