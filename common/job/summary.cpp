#include "common/job/summary.hpp"

#include "common/json/writer.hpp"

#include <string_view>

namespace evalfleet::job {
namespace {

using json::Writer;
using statistics::Interval;

void write_interval(Writer& writer, std::string_view name,
                    const std::optional<Interval>& interval) {
    const std::string prefix(name);
    const auto lower = interval ? std::optional(interval->lower) : std::nullopt;
    const auto upper = interval ? std::optional(interval->upper) : std::nullopt;
    writer.member(prefix + "_lower", lower).member(prefix + "_upper", upper);
}

void write_estimate(Writer& writer, std::string_view name, const Estimate& estimate) {
    writer.member(name, estimate.value);
    write_interval(writer, std::string(name) + "_ci95", estimate.ci95);
}

void write_percentiles(Writer& writer, std::string_view name, const Percentiles& percentiles) {
    const std::string prefix(name);
    writer.member(prefix + "_p50_ms", percentiles.p50).member(prefix + "_p95_ms", percentiles.p95);
}

void write_taxonomy(Writer& writer, const FailureTaxonomy& taxonomy) {
    writer.key("failure_taxonomy").begin_object();
    for (std::size_t i = 0; i < kFailureLabelCount; ++i) {
        std::optional<double> percentage;
        if (taxonomy.failures > 0) {
            percentage = 100.0 * static_cast<double>(taxonomy.counts[i]) /
                         static_cast<double>(taxonomy.failures);
        }
        writer.key(Names<FailureLabel>::values[i]).begin_object();
        writer.member("count", taxonomy.counts[i]).member("percentage", percentage).end_object();
    }
    writer.end_object();
}

void write_histogram(Writer& writer, std::string_view name, const ScoreHistogram& histogram) {
    writer.key(name).begin_object();
    writer.member("0", histogram.counts[0]);
    writer.member("1", histogram.counts[1]);
    writer.member("2", histogram.counts[2]);
    writer.member("null", histogram.null_count);
    writer.end_object();
}

void write_token_totals(Writer& writer, const TokenTotals& tokens) {
    writer.member("total_input_tokens", tokens.input);
    writer.member("total_output_tokens", tokens.output);
    writer.member("total_tokens", tokens.total);
}

void write_rubric(Writer& writer, const RubricBlock& block) {
    writer.key("rubric").begin_object();
    writer.member("total_count", block.total_count).member("pass_count", block.pass_count);
    write_estimate(writer, "pass_rate", block.pass_rate);
    write_estimate(writer, "aggregate_score", block.aggregate_score);
    write_estimate(writer, "accuracy_mean", block.accuracy_mean);
    write_estimate(writer, "accuracy_full_credit_rate", block.accuracy_full_credit_rate);
    write_estimate(writer, "faithfulness_mean", block.faithfulness_mean);
    write_estimate(writer, "faithfulness_failure_rate", block.faithfulness_failure_rate);
    write_estimate(writer, "latency_e2e_mean_ms", block.latency_e2e_mean_ms);
    writer.member("latency_e2e_p50_ms", block.latency_e2e_p50_ms);
    write_estimate(writer, "latency_e2e_p95_ms", block.latency_e2e_p95_ms);
    write_percentiles(writer, "latency_model", block.latency_model_ms);
    write_token_totals(writer, block.tokens);
    write_estimate(writer, "token_efficiency_ratio_mean", block.token_efficiency_ratio_mean);
    writer.member("tokens_per_correct_answer", block.tokens_per_correct_answer);
    write_taxonomy(writer, block.failure_taxonomy);
    writer.end_object();
}

void write_spec(Writer& writer, const SpecBlock& block) {
    writer.key("spec").begin_object();
    writer.member("total_count", block.total_count).member("pass_count", block.pass_count);
    write_estimate(writer, "pass_rate", block.pass_rate);
    write_percentiles(writer, "e2e_latency", block.e2e_latency_ms);
    write_percentiles(writer, "model_latency", block.model_latency_ms);
    write_percentiles(writer, "failure_latency", block.failure_latency_ms);
    writer.member("failure_latency_count", block.failure_latency_count);
    writer.member("correctness_score_mean", block.correctness_score_mean);
    writer.member("faithfulness_score_mean", block.faithfulness_score_mean);
    writer.member("hallucination_score_mean", block.hallucination_score_mean);
    write_histogram(writer, "correctness_score_histogram", block.correctness_scores);
    write_histogram(writer, "faithfulness_score_histogram", block.faithfulness_scores);
    write_histogram(writer, "hallucination_score_histogram", block.hallucination_scores);
    write_token_totals(writer, block.tokens);
    writer.member("output_input_ratio_mean", block.output_input_ratio_mean);
    writer.member("total_cache_read_input_tokens", block.tokens.cache_read);
    writer.member("total_cache_write_input_tokens", block.tokens.cache_write);
    writer.member("total_estimated_cache_savings_tokens", block.tokens.cache_savings);
    writer.member("total_estimated_cache_savings_usd", block.total_estimated_cache_savings_usd);
    write_taxonomy(writer, block.failure_taxonomy);
    writer.end_object();
}

void write_repeatability(Writer& writer, const Repeatability& repeatability) {
    writer.key("repeatability").begin_object();
    writer.member("repeats", repeatability.per_repeat.size());
    writer.member("established", repeatability.established);
    writer.key("per_repeat").begin_array();
    for (const auto& repeat : repeatability.per_repeat) {
        writer.begin_object();
        writer.member("repeat", repeat.repeat);
        writer.member("aggregate_score", repeat.aggregate_score);
        writer.member("latency_e2e_p95_ms", repeat.latency_e2e_p95_ms);
        writer.end_object();
    }
    writer.end_array();
    writer.member("aggregate_score_mean", repeatability.aggregate_score_mean);
    writer.member("aggregate_score_stddev", repeatability.aggregate_score_stddev);
    writer.member("latency_e2e_p95_ms_mean", repeatability.latency_e2e_p95_ms_mean);
    writer.member("latency_e2e_p95_ms_stddev", repeatability.latency_e2e_p95_ms_stddev);
    writer.end_object();
}

void write_gate(Writer& writer, std::string_view name, const Gate& gate) {
    writer.key(name).begin_object();
    writer.member("observed", gate.observed.value);
    writer.member("comparison", to_string(gate.comparison));
    writer.member("threshold", gate.threshold);
    writer.member("default_threshold", gate.default_threshold);
    writer.member("overridden", gate.threshold != gate.default_threshold);
    write_interval(writer, "ci95", gate.observed.ci95);
    writer.member("ci_method", to_string(gate.ci_method));
    writer.member("samples", gate.samples);
    if (gate.share_over) write_estimate(writer, "share_over", *gate.share_over);
    writer.member("passed", gate.passed);
    writer.member("certainty", to_string(gate.certainty()));
    writer.key("open_because").begin_array();
    for (const OpenReason reason : gate.open_because)
        writer.value(to_string(reason));
    writer.end_array();
    writer.end_object();
}

void write_gates(Writer& writer, const Gates& gates) {
    writer.key("gates").begin_object();
    for (const GateInfo& info : kGates)
        write_gate(writer, info.name, gates.*info.gate);
    writer.end_object();
}

void write_counts(Writer& writer, std::string_view name,
                  const std::map<std::string, std::uint64_t>& counts) {
    writer.key(name).begin_object();
    for (const auto& [key, count] : counts)
        writer.member(key, count);
    writer.end_object();
}

void write_outcomes(Writer& writer, const Outcomes& outcomes) {
    writer.key("outcomes").begin_object();
    writer.member("answered_count", outcomes.answered_count);
    writer.member("timed_out_count", outcomes.timed_out_count);
    write_counts(writer, "error_kinds", outcomes.error_kinds);
    write_counts(writer, "evaluator_errors", outcomes.evaluator_errors);
    const Outcomes::AnsweredOnly& answered = outcomes.answered_only;
    writer.key("answered_only").begin_object();
    writer.member("pass_rate", answered.pass_rate);
    writer.member("aggregate_score", answered.aggregate_score);
    writer.member("accuracy_mean", answered.accuracy_mean);
    writer.member("faithfulness_failure_rate", answered.faithfulness_failure_rate);
    writer.end_object();
    writer.member("token_limit_count", outcomes.token_limit_count);
    writer.key("other_reasons").begin_object();
    for (std::size_t i = 0; i < kOtherReasonCount; ++i)
        writer.member(Names<OtherReason>::values[i], outcomes.other_reasons[i]);
    writer.end_object();
    writer.end_object();
}

void write_sources(Writer& writer, std::string_view name, const SourceCounts& sources) {
    writer.key(name).begin_object();
    for (const auto& [source, count] : sources.by_name)
        writer.member(source, count);
    writer.member("null", sources.none).end_object();
}

void write_slices(Writer& writer, std::string_view name, const Summary::Slices& slices) {
    writer.key(name).begin_object();
    for (const auto& [value, blocks] : slices) {
        writer.key(value).begin_object();
        write_blocks(writer, blocks);
        writer.end_object();
    }
    writer.end_object();
}

void write_all_slices(Writer& writer, const Summary& summary) {
    writer.key("slices").begin_object();
    write_slices(writer, "task_type", summary.task_types);
    writer.key("tags").begin_object();
    for (const auto& [key, slices] : summary.tags) {
        write_slices(writer, key, slices);
    }
    writer.end_object();
    writer.end_object();
}

std::optional<double> share(std::uint64_t count, std::uint64_t of) {
    if (of == 0) return std::nullopt;
    return static_cast<double>(count) / static_cast<double>(of);
}

void write_whole_run(Writer& writer, const Extra& extra) {
    writer.member("model_version_drift", extra.model_version_drift());
    write_counts(writer, "model_versions_reported", extra.model_versions_reported);
    writer.member("model_versions_other_count", extra.model_versions_other_count);
    write_counts(writer, "system_fingerprints_reported", extra.system_fingerprints_reported);
    writer.member("system_fingerprints_other_count", extra.system_fingerprints_other_count);
    write_counts(writer, "redactions", extra.redactions);
    const TimingQuality& timing = extra.timing;
    writer.key("timing_quality").begin_object();
    writer.member("measured_count", timing.measured);
    writer.member("error_under_1_ms_share", share(timing.under_1_ms, timing.measured));
    writer.member("error_under_1_percent_share", share(timing.under_1_percent, timing.measured));
    writer.end_object();
    write_sources(writer, "latency_model_source", extra.latency_model_sources);
    write_sources(writer, "hallucination_source", extra.hallucination_sources);
    writer.member("total_cost_usd", extra.cost_usd);
    writer.member("total_evaluator_cost_usd", extra.evaluator_cost_usd);
}

void write_always_valid(Writer& writer, const std::optional<AlwaysValid>& valid) {
    writer.key("always_valid");
    if (!valid) {
        writer.null();
        return;
    }
    writer.begin_object();
    writer.member("samples", valid->samples);
    write_interval(writer, "aggregate_score", valid->aggregate_score);
    write_interval(writer, "pass_rate", valid->pass_rate);
    write_interval(writer, "faithfulness_failure_rate", valid->faithfulness_failure_rate);
    write_interval(writer, "latency_share_over", valid->latency_share_over);
    writer.end_object();
}

void write_decision(Writer& writer, std::string_view name, const Gate& gate,
                    const GateDecision& decision) {
    writer.key(name).begin_object();
    writer.member("decided", is_decided(gate, decision));
    writer.key("open_because").begin_array();
    for (const OpenReason reason : gate.open_because)
        writer.value(to_string(reason));
    if (decision.doubt) writer.value(to_string(*decision.doubt));
    writer.end_array();
    writer.member("p_value", decision.p_value);
    writer.member("samples_needed", decision.samples_needed);
    writer.end_object();
}

void write_decisions(Writer& writer, const Summary& summary) {
    writer.key("gates_decided").begin_object();
    for (std::size_t i = 0; i < kGates.size(); ++i)
        write_decision(writer, kGates[i].name, summary.gates.*kGates[i].gate,
                       summary.extra.gate_decisions[i]);
    writer.end_object();
}

void write_extra(Writer& writer, const Summary& summary) {
    const Extra& extra = summary.extra;
    writer.key("extra").begin_object();
    // A run that ended because its verdict was certain lacks nothing.
    writer.member("incomplete", extra.is_incomplete());
    writer.member("missing_count", extra.missing_count);
    writer.member("stopped_early", extra.saved_calls.has_value());
    writer.member("saved_calls", extra.saved_calls);
    writer.member("intervals_of_fixed_size", !extra.saved_calls.has_value());
    write_always_valid(writer, extra.always_valid);
    write_decisions(writer, summary);
    writer.member("unscored_count", extra.unscored_count);
    writer.member("measured", to_string(extra.measured));
    writer.member("could_measure", to_string(extra.could_measure));
    writer.member("unmeasured_count", extra.unmeasured_count);
    write_counts(writer, "unmeasured_by_reason", extra.unmeasured_by_reason);
    write_interval(writer, "aggregate_score_bound", extra.aggregate_score_bounds);
    write_interval(writer, "rubric_pass_rate_bound", extra.rubric_pass_rate_bounds);
    write_interval(writer, "spec_pass_rate_bound", extra.spec_pass_rate_bounds);
    write_interval(writer, "rubric_pass_rate_cluster_ci95", extra.rubric_pass_rate_cluster_ci95);
    write_interval(writer, "spec_pass_rate_cluster_ci95", extra.spec_pass_rate_cluster_ci95);
    write_power(writer, extra.power);
    write_slice_tests(writer, extra.slice_tests);
    writer.member("latency_e2e_p95_ci95_reason", extra.p95_without_limit);
    write_whole_run(writer, extra);
    writer.end_object();
}

}  // namespace

void write_blocks(Writer& writer, const Blocks& blocks) {
    write_rubric(writer, blocks.rubric);
    write_spec(writer, blocks.spec);
}

Unmeasured unmeasured_of(const Summary& summary, const std::optional<std::string>& api_key_id) {
    return {summary.extra.could_measure, summary.all.rubric.total_count,
            summary.extra.unmeasured_by_reason, api_key_id};
}

std::string to_json(const Summary& summary) {
    std::string out;
    Writer writer(out, json::Layout::pretty);
    writer.begin_object();
    writer.member("evaluation_schema_version", kEvaluationSchemaVersion);
    writer.member("run_id", summary.run_id);
    writer.member("dataset_hash", summary.dataset_hash);
    writer.member("policy_hash", summary.policy_hash);
    writer.key("bootstrap").begin_object();
    writer.member("replicates", summary.bootstrap_replicates)
        .member("seed", summary.bootstrap_seed);
    writer.end_object();
    write_blocks(writer, summary.all);
    write_outcomes(writer, summary.outcomes);
    write_repeatability(writer, summary.repeatability);
    write_gates(writer, summary.gates);
    writer.member("release_ready", summary.release_ready);
    write_all_slices(writer, summary);
    write_extra(writer, summary);
    writer.end_object();
    out += '\n';
    return out;
}

}  // namespace evalfleet::job
