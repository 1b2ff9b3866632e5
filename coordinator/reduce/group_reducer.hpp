#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/summary.hpp"
#include "common/result/result.hpp"
#include "coordinator/reduce/comparison.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evalfleet::reduce {

/// One run of a group: what is known of it, and its records, in one file or several.
struct GroupMember {
    job::RunMetadata metadata;
    std::vector<std::filesystem::path> records;
};

/// A run as its group sees it.
struct GroupRun {
    std::string run_id;
    std::string model;            ///< provider/name@version
    std::string prompt_template;  ///< id@version
    std::uint64_t missing_count = 0;
    job::Blocks blocks;
    job::Gates gates;
};

/// A run's place among the runs of its group, by aggregate score. Equal scores share a rank; a run
/// without one comes last.
struct RankedRun {
    std::size_t run = 0;  ///< its place in `GroupSummary::runs`
    std::size_t rank = 1;
    /// Against the baseline, over the trials that both have; none for the baseline itself. P-values
    /// are corrected over all tests of the group.
    std::vector<MetricDifference> differences;
};

/// What one submission with several models or prompts found out: a pure function of the runs'
/// records and metadata.
struct GroupSummary {
    std::optional<std::string> group_id;
    std::uint32_t bootstrap_replicates = 0;
    std::uint64_t bootstrap_seed = 0;
    std::vector<std::string> incomparable;  ///< why runs should not be compared; empty: they may
    std::vector<GroupRun> runs;             ///< as given; the first is the baseline
    job::Summary::Slices models;            ///< over all runs of a model
    job::Summary::Slices prompt_templates;  ///< over all runs of a prompt template version
    // Which of them differ from the other runs, line by line; corrected together.
    std::uint64_t slice_tests = 0;  ///< how many p-values
    job::SliceTests model_tests;
    job::SliceTests prompt_template_tests;
    std::vector<RankedRun> ranking;  ///< the best first
};

struct GroupOptions {
    unsigned threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
    std::optional<std::uint32_t> replicates{};  ///< of the bootstrap; else the baseline's
    std::optional<std::uint64_t> seed{};
};

/// Reduces the runs of a group together. In a slice the resampled unit is the dataset line: the
/// trials of all its runs with one `sample_index` are drawn together. Runs that should not be
/// compared are compared all the same, and `incomparable` says why they should not.
///
/// `invalid`: no run, two of one id, or a malformed record (file, line and field are named);
/// `not_found`: a file is missing; `too_large`: more records than can be counted. Blocks.
[[nodiscard]] Result<GroupSummary> reduce_group(std::span<const GroupMember> members,
                                                GroupOptions options = {});

/// The member that a run's folder holds (`run.json`, `records.jsonl`). Blocks.
[[nodiscard]] Result<GroupMember> blocking_read_member(const std::filesystem::path& folder);

/// `group.json`: pretty, with a line feed at the end; equal summaries give equal bytes.
[[nodiscard]] std::string to_json(const GroupSummary& summary);

/// For people: the ranking, the differences to the baseline, and the slices.
[[nodiscard]] std::string to_text(const GroupSummary& summary);

}  // namespace evalfleet::reduce
