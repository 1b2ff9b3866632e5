#pragma once

#include "common/job/measured.hpp"
#include "common/job/vocabulary.hpp"
#include "common/statistics/interval.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::json {
class Writer;
}

namespace evalfleet::job {

/// A figure and its 95 % confidence interval; either may be unknown.
struct Estimate {
    std::optional<double> value;
    std::optional<statistics::Interval> ci95;
    bool operator==(const Estimate&) const = default;
};

/// The median and the 95th percentile of one population.
struct Percentiles {
    std::optional<double> p50;
    std::optional<double> p95;
    bool operator==(const Percentiles&) const = default;
};

/// Primary failure labels of the trials that fail one block's own condition.
struct FailureTaxonomy {
    std::array<std::uint64_t, kFailureLabelCount> counts{};
    std::uint64_t failures = 0;  ///< what the percentages are of
    bool operator==(const FailureTaxonomy&) const = default;
};

/// How often each score was given.
struct ScoreHistogram {
    std::array<std::uint64_t, 3> counts{};
    std::uint64_t null_count = 0;
    bool operator==(const ScoreHistogram&) const = default;
};

/// Token sums; a trial without a figure adds nothing.
struct TokenTotals {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t total = 0;
    std::int64_t cache_read = 0;
    std::int64_t cache_write = 0;
    std::int64_t cache_savings = 0;
    bool operator==(const TokenTotals&) const = default;
};

/// The aggregate fields of the Rubric (1.1-1.4, 3.3-3.4).
struct RubricBlock {
    std::uint64_t total_count = 0;
    std::uint64_t pass_count = 0;
    Estimate pass_rate;
    Estimate aggregate_score;
    Estimate accuracy_mean;
    Estimate accuracy_full_credit_rate;
    Estimate faithfulness_mean;
    Estimate faithfulness_failure_rate;
    Estimate latency_e2e_mean_ms;
    std::optional<double> latency_e2e_p50_ms;
    Estimate latency_e2e_p95_ms;
    Percentiles latency_model_ms;
    TokenTotals tokens;
    Estimate token_efficiency_ratio_mean;
    double tokens_per_correct_answer = 0;
    FailureTaxonomy failure_taxonomy;
    bool operator==(const RubricBlock&) const = default;
};

/// The aggregate fields of the Specification (1-4).
struct SpecBlock {
    std::uint64_t total_count = 0;
    std::uint64_t pass_count = 0;
    Estimate pass_rate;
    Percentiles e2e_latency_ms;
    Percentiles model_latency_ms;
    Percentiles failure_latency_ms;
    std::uint64_t failure_latency_count = 0;
    std::optional<double> correctness_score_mean;
    std::optional<double> faithfulness_score_mean;
    std::optional<double> hallucination_score_mean;
    ScoreHistogram correctness_scores;
    ScoreHistogram faithfulness_scores;
    ScoreHistogram hallucination_scores;
    TokenTotals tokens;
    std::optional<double> output_input_ratio_mean;
    std::optional<double> total_estimated_cache_savings_usd;
    FailureTaxonomy failure_taxonomy;
    bool operator==(const SpecBlock&) const = default;
};

/// Both documents' view of one set of trials: the whole run or one slice of it.
struct Blocks {
    RubricBlock rubric;
    SpecBlock spec;
    bool operator==(const Blocks&) const = default;
};

/// Rubric 4.4: how much a run differs from itself when repeated.
struct Repeatability {
    struct Repeat {
        std::uint32_t repeat = 0;
        std::optional<double> aggregate_score;
        std::optional<double> latency_e2e_p95_ms;
        bool operator==(const Repeat&) const = default;
    };
    std::vector<Repeat> per_repeat;  ///< ascending
    bool established = false;        ///< at least three repeats
    std::optional<double> aggregate_score_mean;
    std::optional<double> aggregate_score_stddev;
    std::optional<double> latency_e2e_p95_ms_mean;
    std::optional<double> latency_e2e_p95_ms_stddev;
    bool operator==(const Repeatability&) const = default;
};

enum class Comparison { at_least, at_most };
template <>
struct Names<Comparison> {
    static constexpr std::array values{">="sv, "<="sv};
};

/// Whether the confidence interval leaves the verdict of a gate open.
enum class Certainty { clear, uncertain };
template <>
struct Names<Certainty> {
    static constexpr std::array values{"clear"sv, "uncertain"sv};
};

/// One condition of release (Rubric 3.4) and how it came out.
struct Gate {
    Estimate observed;
    Comparison comparison = Comparison::at_least;
    double threshold = 0;
    double default_threshold = 0;  ///< the Rubric's
    bool passed = false;
    Certainty certainty = Certainty::uncertain;
    bool operator==(const Gate&) const = default;
};

struct Gates {
    Gate aggregate_score;
    Gate pass_rate;
    Gate faithfulness_failure_rate;
    Gate latency_e2e_p95_ms;

    [[nodiscard]] bool all_passed() const noexcept {
        return aggregate_score.passed && pass_rate.passed && faithfulness_failure_rate.passed &&
               latency_e2e_p95_ms.passed;
    }
    bool operator==(const Gates&) const = default;
};

/// How well the latencies of a run were measured.
struct TimingQuality {
    std::uint64_t measured = 0;         ///< trials with a latency and a known bound of its error
    std::uint64_t under_1_ms = 0;       ///< of them: the bound is below a millisecond
    std::uint64_t under_1_percent = 0;  ///< of them: the bound is below 1 % of the latency
    bool operator==(const TimingQuality&) const = default;
};

/// What the documents do not ask for but a reader of a verdict wants to know.
struct Extra {
    std::uint64_t missing_count = 0;  ///< trials without a record: the run was ended early
    /// Calls that were not made because the verdict of the gates was certain without them; none:
    /// the run was not ended for that reason.
    std::optional<std::uint64_t> saved_calls;

    /// Trials are missing that the verdict needs.
    [[nodiscard]] bool is_incomplete() const noexcept { return missing_count > 0 && !saved_calls; }

    std::uint64_t unscored_count = 0;  ///< trials whose evaluator failed
    /// Whether the verdict of a gate could turn with the trials that were not measured.
    Measured measured = Measured::complete;
    std::uint64_t unmeasured_count = 0;  ///< failed for reasons of infrastructure, or unscored
    std::map<std::string, std::uint64_t> unmeasured_by_reason;  ///< see `unmeasured_reason`
    /// What the figures would be if every trial that was not measured had failed, or were perfect;
    /// null for no trials.
    std::optional<statistics::Interval> aggregate_score_bounds;
    std::optional<statistics::Interval> rubric_pass_rate_bounds;
    std::optional<statistics::Interval> spec_pass_rate_bounds;
    /// Bootstrap over samples: repeats of one sample are not independent, which Wilson assumes.
    /// Null with one repeat.
    std::optional<statistics::Interval> rubric_pass_rate_cluster_ci95;
    std::optional<statistics::Interval> spec_pass_rate_cluster_ci95;
    /// The smallest difference to another run of this size that a test at 5 % finds 4 times of 5.
    std::optional<double> aggregate_score_detectable_difference;
    std::optional<double> rubric_pass_rate_detectable_difference;
    std::optional<double> spec_pass_rate_detectable_difference;
    /// How often the provider named each version of the model; bounded, the rest counted together.
    std::map<std::string, std::uint64_t> model_versions_reported;
    std::uint64_t model_versions_other_count = 0;
    std::map<std::string, std::uint64_t> redactions;  ///< pieces of text replaced, by kind
    TimingQuality timing;
    std::optional<double> cost_usd;  ///< of the model's calls; null if no trial has a figure
    std::optional<double> evaluator_cost_usd;

    /// The provider named more than one version: the run measured more than one model.
    [[nodiscard]] bool model_version_drift() const noexcept {
        return model_versions_reported.size() > 1;
    }
    bool operator==(const Extra&) const = default;
};

/// The result of a run: a pure function of its records and its policy.
struct Summary {
    using Slices = std::map<std::string, Blocks>;  ///< by value

    std::uint32_t bootstrap_replicates = 0;
    std::uint64_t bootstrap_seed = 0;
    Blocks all;
    Repeatability repeatability;
    Gates gates;
    bool release_ready = false;
    Slices task_types;
    std::map<std::string, Slices> tags;  ///< by key
    Extra extra;
    bool operator==(const Summary&) const = default;
};

/// What is to be told of a run that could not be measured, its key by the operator's label.
[[nodiscard]] Unmeasured unmeasured_of(const Summary& summary,
                                       const std::optional<std::string>& api_key_id);

/// The summary as JSON, in the one order and layout that `verify` compares, with a line feed at
/// the end.
[[nodiscard]] std::string to_json(const Summary& summary);

/// The two blocks as members of the object that is open in `writer`.
void write_blocks(json::Writer& writer, const Blocks& blocks);

}  // namespace evalfleet::job
