#pragma once

#include "common/job/measured.hpp"
#include "common/job/policy.hpp"
#include "common/job/run_power.hpp"
#include "common/job/slice_tests.hpp"
#include "common/job/vocabulary.hpp"
#include "common/statistics/interval.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

/// Whether anything leaves the verdict of a gate open.
enum class Certainty { clear, uncertain };
template <>
struct Names<Certainty> {
    static constexpr std::array values{"clear"sv, "uncertain"sv};
};

/// What leaves the verdict of a gate open.
enum class OpenReason {
    small_sample,  ///< too few samples for an interval that can be believed
    interval,      ///< a limit of the interval gives the other verdict, or there is none
    unscored,      ///< the verdict turns with the answers that have no score
};
template <>
struct Names<OpenReason> {
    static constexpr std::array values{"small_sample"sv, "interval"sv, "unscored"sv};
};

/// Below this many samples with a score neither the bootstrap nor Student's t can be believed.
inline constexpr std::uint64_t kFewestSamples = 6;

/// How the interval of a gate was found.
enum class CiMethod { wilson, wilson_clustered, bootstrap, bootstrap_or_t, bootstrap_and_share };
template <>
struct Names<CiMethod> {
    static constexpr std::array values{"wilson"sv, "wilson_clustered"sv, "bootstrap"sv,
                                       "bootstrap_or_t"sv, "bootstrap_and_share"sv};
};

/// One condition of release (Rubric 3.4) and how it came out.
struct Gate {
    Estimate observed;  ///< with the gate's own interval, which may be wider than the block's
    Comparison comparison = Comparison::at_least;
    double threshold = 0;
    double default_threshold = 0;  ///< the Rubric's
    bool passed = false;
    std::vector<OpenReason> open_because{};  ///< in the order of the enum; empty: clear
    CiMethod ci_method = CiMethod::wilson;
    std::uint64_t samples = 0;  ///< that have a value of what is observed
    /// Of a percentile: the share of trials beyond the threshold, which decides whether it is
    /// clear.
    std::optional<Estimate> share_over{};

    [[nodiscard]] Certainty certainty() const noexcept {
        return open_because.empty() ? Certainty::clear : Certainty::uncertain;
    }
    bool operator==(const Gate&) const = default;
};

/// A 95th percentile is within its limit if at most this share of trials is beyond it.
inline constexpr double kShareOverLimit = 0.05;

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

/// A gate: its name, its place in the summary and what the policy says about it.
struct GateInfo {
    std::string_view name;
    Gate Gates::*gate;
    Comparison comparison;
    double Policy::Gates::*threshold;
};
inline constexpr std::array kGates{
    GateInfo{"aggregate_score", &Gates::aggregate_score, Comparison::at_least,
             &Policy::Gates::min_aggregate_score},
    GateInfo{"pass_rate", &Gates::pass_rate, Comparison::at_least, &Policy::Gates::min_pass_rate},
    GateInfo{"faithfulness_failure_rate", &Gates::faithfulness_failure_rate, Comparison::at_most,
             &Policy::Gates::max_faithfulness_failure_rate},
    GateInfo{"latency_e2e_p95_ms", &Gates::latency_e2e_p95_ms, Comparison::at_most,
             &Policy::Gates::max_latency_e2e_p95_ms},
};

/// What keeps the verdict of a gate from being said to be decided although its interval is clear.
enum class Doubt {
    few_samples,  ///< so few samples might look like this with the truth on the other side
    unmeasured,   ///< so they might if lost trials and answers without a score had come out so
};
template <>
struct Names<Doubt> {
    static constexpr std::array values{"few_samples"sv, "unmeasured"sv};
};

/// What a test says of a gate that takes nothing for granted but the range of the values.
struct GateDecision {
    /// At most so often samples look like these if the truth is on the other side; none: no sample.
    std::optional<double> p_value{};
    std::optional<Doubt> doubt{};
    /// In all, if further samples are like those so far; none: no number would do, or no doubt.
    std::optional<std::uint64_t> samples_needed{};
    bool operator==(const GateDecision&) const = default;
};
using GateDecisions = std::array<GateDecision, kGates.size()>;  ///< in the order of `kGates`

/// The verdict is one to act on: it is clear, and no doubt is left. Reports, early stop and
/// everything else that tells people go by this, not by `certainty` alone.
[[nodiscard]] inline bool is_decided(const Gate& gate, const GateDecision& decision) noexcept {
    return gate.certainty() == Certainty::clear && !decision.doubt;
}

/// Why a trial got the label `other`.
enum class OtherReason {
    infrastructure,  ///< the call failed for reasons of infrastructure
    token_limit,     ///< no text: the limit of output tokens was reached before any came
    empty,           ///< no text
    malformed,       ///< a response that cannot be read
    refused,         ///< the request was refused for what it asks
    evaluator,       ///< the answer has no score
    judge,           ///< the judge said so
    pass_limits,     ///< tokens over the limit of passing, or a figure unknown that it needs
};
template <>
struct Names<OtherReason> {
    static constexpr std::array values{"infrastructure"sv, "token_limit"sv, "empty"sv,
                                       "malformed"sv,      "refused"sv,     "evaluator"sv,
                                       "judge"sv,          "pass_limits"sv};
};
inline constexpr std::size_t kOtherReasonCount = Names<OtherReason>::values.size();

/// How the trials of a run ended, and what the figures are without those that have no answer.
struct Outcomes {
    std::uint64_t answered_count = 0;
    std::uint64_t timed_out_count = 0;
    std::map<std::string, std::uint64_t> error_kinds;
    std::map<std::string, std::uint64_t> evaluator_errors;
    std::uint64_t token_limit_count = 0;  ///< cut off by the limit of output tokens, text or not
    std::array<std::uint64_t, kOtherReasonCount> other_reasons{};
    /// Over the answered trials alone.
    struct AnsweredOnly {
        std::optional<double> pass_rate;
        std::optional<double> aggregate_score;
        std::optional<double> accuracy_mean;
        std::optional<double> faithfulness_failure_rate;
        bool operator==(const AnsweredOnly&) const = default;
    } answered_only;
    bool operator==(const Outcomes&) const = default;
};

/// How many trials have a figure from which source; `none` have no such figure.
struct SourceCounts {
    std::map<std::string, std::uint64_t> by_name;
    std::uint64_t none = 0;
    bool operator==(const SourceCounts&) const = default;
};

/// How well the latencies of a run were measured.
struct TimingQuality {
    std::uint64_t measured = 0;         ///< trials with a latency and a known bound of its error
    std::uint64_t under_1_ms = 0;       ///< of them: the bound is below a millisecond
    std::uint64_t under_1_percent = 0;  ///< of them: the bound is below 1 % of the latency
    bool operator==(const TimingQuality&) const = default;
};

/// Intervals that hold although nobody knew beforehand when the run would end: all four together
/// with 95 %, of what the whole run would have had.
struct AlwaysValid {
    std::uint64_t samples = 0;  ///< that they, and the end, were decided from
    statistics::Interval aggregate_score{};
    statistics::Interval pass_rate{};
    statistics::Interval faithfulness_failure_rate{};
    statistics::Interval latency_share_over{};  ///< of trials above the limit of the latency gate
    bool operator==(const AlwaysValid&) const = default;
};

/// What the documents do not ask for but a reader of a verdict wants to know.
struct Extra {
    std::uint64_t missing_count = 0;  ///< trials without a record: the run was ended early
    /// Calls that were not made because the verdict of the gates was certain without them; none:
    /// the run was not ended for that reason.
    std::optional<std::uint64_t> saved_calls;
    /// Of a run that ended early: all other intervals are of a size that was not fixed beforehand.
    std::optional<AlwaysValid> always_valid;
    GateDecisions gate_decisions{};  ///< what people are told about the gates

    /// Trials are missing that the verdict needs.
    [[nodiscard]] bool is_incomplete() const noexcept { return missing_count > 0 && !saved_calls; }

    std::uint64_t unscored_count = 0;  ///< trials whose evaluator failed
    /// Whether the verdict of a gate could turn with the trials that have no answer or no score.
    Measured measured = Measured::complete;
    /// The same, of trials without an answer only those that infrastructure lost. If this is not
    /// complete the run says nothing about its model: "could not measure".
    Measured could_measure = Measured::complete;
    std::uint64_t unmeasured_count = 0;  ///< failed for reasons of infrastructure, or unscored
    std::map<std::string, std::uint64_t> unmeasured_by_reason;  ///< see `unmeasured_reason`
    /// What the figures would be if every trial without an answer or a score had failed, or were
    /// perfect; null for no trials.
    std::optional<statistics::Interval> aggregate_score_bounds;
    std::optional<statistics::Interval> rubric_pass_rate_bounds;
    std::optional<statistics::Interval> spec_pass_rate_bounds;
    /// Bootstrap over samples: repeats of one sample are not independent, which Wilson assumes.
    /// Null with one repeat.
    std::optional<statistics::Interval> rubric_pass_rate_cluster_ci95;
    std::optional<statistics::Interval> spec_pass_rate_cluster_ci95;
    RunPower power;
    RunSliceTests slice_tests;
    /// Why the p95 of the latency has no upper limit, see `why_no_p95_limit`; none: it has one.
    std::optional<std::string> p95_without_limit;
    /// How often the provider named each version of the model; bounded, the rest counted together.
    std::map<std::string, std::uint64_t> model_versions_reported;
    std::uint64_t model_versions_other_count = 0;
    /// How often it named each build; bounded likewise.
    std::map<std::string, std::uint64_t> system_fingerprints_reported;
    std::uint64_t system_fingerprints_other_count = 0;
    std::map<std::string, std::uint64_t> redactions;  ///< pieces of text replaced, by kind
    TimingQuality timing;
    SourceCounts latency_model_sources;
    SourceCounts hallucination_sources;
    std::optional<double> cost_usd;  ///< of the model's calls; null if no trial has a figure
    std::optional<double> evaluator_cost_usd;

    /// The provider named more than one version or build: the run measured more than one model.
    [[nodiscard]] bool model_version_drift() const noexcept {
        return model_versions_reported.size() > 1 || system_fingerprints_reported.size() > 1;
    }
    bool operator==(const Extra&) const = default;
};

/// The result of a run: a pure function of its records and its policy, and of what `run.json` says
/// about which run it is.
struct Summary {
    using Slices = std::map<std::string, Blocks>;  ///< by value

    // What it is of. Records alone do not tell the first two.
    std::optional<std::string> run_id;
    std::optional<std::string> dataset_hash;
    std::string policy_hash;  ///< see `hash_of`

    std::uint32_t bootstrap_replicates = 0;
    std::uint64_t bootstrap_seed = 0;
    Blocks all;
    Outcomes outcomes;
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
