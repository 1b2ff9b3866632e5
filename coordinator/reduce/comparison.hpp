#pragma once

#include "common/result/result.hpp"
#include "coordinator/reduce/comparison_rule.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// A trial that passes in one run and fails in the other.
struct FlippedTrial {
    std::uint32_t sample_index = 0;
    std::uint32_t repeat = 0;
    std::string condition;  ///< "rubric" or "spec"
    bool now_passes = false;
    std::string sample_id{};  ///< empty: the records have none
};

struct RunComparison {
    std::vector<std::string>
        incomparable;  ///< why the runs should not be compared; empty: they may
    std::uint64_t base_trials = 0;
    std::uint64_t candidate_trials = 0;
    std::uint64_t shared_trials = 0;
    std::uint64_t shared_samples = 0;
    std::vector<MetricDifference> metrics;
    std::vector<FlippedTrial> flipped;  ///< by sample, repeat, condition

    [[nodiscard]] Decision decision() const { return decision_of(metrics); }
};

struct CompareOptions {
    bool force = false;                         ///< compare although the runs are not comparable
    std::optional<std::uint32_t> replicates{};  ///< else the base's
    std::optional<std::uint64_t> seed{};
    unsigned threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
    job::Margins margins{};
    job::Margins detect{};  ///< see ComparisonPlan
};

/// Compares two run folders (`run.json` and `records.jsonl` in each), trial by trial. Runs whose
/// dataset, judge or policy differ are refused with `invalid` and the reasons, unless forced.
[[nodiscard]] Result<RunComparison> compare_runs(const std::filesystem::path& base,
                                                 const std::filesystem::path& candidate,
                                                 const CompareOptions& options);

/// The same for rows of two tables, whether the runs are comparable or not. Pure.
[[nodiscard]] RunComparison compare_rows(std::span<const TrialRow> base,
                                         std::span<const TrialRow> candidate,
                                         const ComparisonPlan& plan);

[[nodiscard]] std::string to_json(const RunComparison& comparison);

/// What `to_json` wrote, as a coordinator answers it. `invalid` names the member that is wrong.
/// Pure.
[[nodiscard]] Result<RunComparison> read_comparison(std::string_view json);

/// For people: a table of the metrics, what they say together, and the first flipped trials.
[[nodiscard]] std::string to_text(const RunComparison& comparison);

}  // namespace evalfleet::reduce
