#pragma once

#include "common/result/result.hpp"
#include "common/statistics/interval.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// One metric of both runs over the trials that both have.
struct MetricDifference {
    std::string name;
    bool higher_is_better = true;
    std::uint64_t pairs = 0;  ///< trials with a value in both runs
    std::optional<double> base;
    std::optional<double> candidate;
    std::optional<double> difference;          ///< candidate - base
    std::optional<statistics::Interval> ci95;  ///< of the difference, paired bootstrap
    std::optional<double> p_value;       ///< McNemar's exact test for pass rates; else see a group
    std::optional<double> p_value_holm;  ///< corrected over the family of tests
    bool significant = false;  ///< the CI leaves out 0, and Holm p < 0.05 where there is a test
    bool regression = false;   ///< significant, and for the worse
};

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

    [[nodiscard]] bool significant_regression() const noexcept;
};

struct CompareOptions {
    bool force = false;  ///< compare although the runs are not comparable
    std::uint32_t replicates = 2000;
    std::uint64_t seed = 42;
    unsigned threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
};

/// Compares two run folders (`run.json` and `records.jsonl` in each), trial by trial. Runs whose
/// dataset, judge or policy differ are refused with `invalid` and the reasons, unless forced.
[[nodiscard]] Result<RunComparison> compare_runs(const std::filesystem::path& base,
                                                 const std::filesystem::path& candidate,
                                                 const CompareOptions& options);

/// The same for rows of two tables, whether the runs are comparable or not. Pure.
[[nodiscard]] RunComparison compare_rows(std::span<const TrialRow> base,
                                         std::span<const TrialRow> candidate,
                                         const CompareOptions& options);

/// Decides `significant` and `regression` from the other members.
void judge(MetricDifference& metric);

[[nodiscard]] std::string to_json(const RunComparison& comparison);

/// What `to_json` wrote, as a coordinator answers it. `invalid` names the member that is wrong.
/// Pure.
[[nodiscard]] Result<RunComparison> read_comparison(std::string_view json);

/// For people: a table of the metrics, the verdict and the first flipped trials.
[[nodiscard]] std::string to_text(const RunComparison& comparison);

}  // namespace evalfleet::reduce
