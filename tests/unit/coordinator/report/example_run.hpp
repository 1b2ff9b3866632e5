#pragma once

#include "coordinator/report/report.hpp"

namespace evalfleet::report {

/// What a hostile model, dataset and provider would put into a report.
inline constexpr const char* kHostile =
    "<script>alert(1)</script> & \"quotes\" 'n' ]]> | `x` \x1b[31m\x01 =1+1";

/// A made-up run with every kind of figure in it.
struct ExampleRun {
    job::RunMetadata metadata;
    job::Summary summary;
    Findings findings;

    ExampleRun() {
        metadata.run_id = "r-1";
        metadata.name = "nightly <qa>";
        metadata.timestamp_utc = "2026-11-16T10:00:00Z";
        metadata.dataset_hash = std::string(64, 'a');
        metadata.sample_count = 100;
        metadata.repeats = 3;
        metadata.model = {"main", "gpt", "1"};
        metadata.evaluator_model = job::ModelRef{"main", "judge", "2"};
        metadata.evaluator_profile = job::EvaluatorProfile::rubric_v1;
        metadata.prompt_template.id = "p";
        metadata.prompt_template.version = "1";
        metadata.code_version = "abc";
        fill_rubric(summary.all.rubric);
        summary.all.spec.total_count = 300;
        summary.all.spec.pass_rate = {0.7, statistics::Interval{0.65, 0.75}};
        summary.task_types["qa"] = summary.all;
        summary.task_types[kHostile] = summary.all;
        summary.tags["lang"]["en"] = summary.all;
        fill_slice_tests(summary.extra.slice_tests);
        summary.repeatability.established = true;
        for (std::uint32_t i = 1; i <= 3; ++i)
            summary.repeatability.per_repeat.push_back({i, 0.8, 900.0});
        fill_gates(summary.gates);
        fill_outcomes(summary);
        for (int i = 0; i < 3; ++i)
            findings.add(failed_trial(i));
    }

    [[nodiscard]] Report report() const { return {metadata, summary, findings}; }

    static void fill_rubric(job::RubricBlock& rubric) {
        rubric.total_count = 300;
        rubric.pass_count = 240;
        rubric.pass_rate = {0.8, statistics::Interval{0.75, 0.84}};
        rubric.aggregate_score = {0.853, statistics::Interval{0.83, 0.87}};
        rubric.accuracy_mean = {1.61, statistics::Interval{1.5, 1.7}};
        rubric.faithfulness_failure_rate = {0.04, statistics::Interval{0.02, 0.06}};
        rubric.latency_e2e_mean_ms = {812.5, statistics::Interval{800, 830}};
        rubric.latency_e2e_p50_ms = 790;
        rubric.latency_e2e_p95_ms = {1520, statistics::Interval{1400, 1700}};
        rubric.tokens.input = 1234567;
        rubric.failure_taxonomy.failures = 60;
        rubric.failure_taxonomy.counts[0] = 45;
        rubric.failure_taxonomy.counts[3] = 15;
    }

    static void fill_slice_tests(job::RunSliceTests& tests) {
        job::SliceTest found;
        found.samples = 60;
        found.rubric_pass_rate_ci95 = statistics::Interval{0.71, 0.88};
        found.aggregate_score_ci95 = statistics::Interval{0.81, 0.89};
        found.rubric_pass_rate = {-0.12, 0.0001, 0.0004};
        found.aggregate_score = {-0.02, 0.3, 0.4};
        job::SliceTest small;
        small.samples = 12;
        small.reason = "12 samples, fewer than 20";
        job::SliceTest equal = found;
        equal.rubric_pass_rate = {-0.01, 0.5, 0.6};
        tests.tests = 4;
        tests.task_types["qa"] = found;
        tests.task_types[kHostile] = small;
        tests.tags["lang"]["en"] = equal;
    }

    static void fill_gates(job::Gates& gates) {
        using job::CiMethod, job::Comparison, job::OpenReason;
        gates.aggregate_score = {.observed = {0.853, statistics::Interval{0.83, 0.87}},
                                 .comparison = Comparison::at_least,
                                 .threshold = 0.8,
                                 .default_threshold = 0.8,
                                 .passed = true,
                                 .ci_method = CiMethod::bootstrap_or_t,
                                 .samples = 100};
        gates.pass_rate = {.observed = {0.8, statistics::Interval{0.75, 0.84}},
                           .comparison = Comparison::at_least,
                           .threshold = 0.85,
                           .default_threshold = 0.85,
                           .samples = 100};
        gates.faithfulness_failure_rate = {.observed = {0.04, statistics::Interval{0.02, 0.06}},
                                           .comparison = Comparison::at_most,
                                           .threshold = 0.05,
                                           .default_threshold = 0.05,
                                           .passed = true,
                                           .open_because = {OpenReason::interval},
                                           .ci_method = CiMethod::wilson_clustered,
                                           .samples = 100};
        gates.latency_e2e_p95_ms = {
            .observed = {1520, statistics::Interval{1400, 1700}},
            .comparison = Comparison::at_most,
            .threshold = 8000,
            .default_threshold = 10000,
            .passed = true,
            .ci_method = CiMethod::bootstrap_and_share,
            .samples = 100,
            .share_over = job::Estimate{0.01, statistics::Interval{0.002, 0.03}}};
    }

    static void fill_outcomes(job::Summary& summary) {
        job::Outcomes& outcomes = summary.outcomes;
        outcomes.answered_count = 280;
        outcomes.timed_out_count = 5;
        outcomes.error_kinds = {{"connect", 12}, {"empty_response", 3}, {"timeout", 5}};
        outcomes.evaluator_errors = {{"parse_error", 4}};
        outcomes.token_limit_count = 2;
        outcomes.other_reasons = {12, 2, 1, 0, 0, 4, 0, 0};
        outcomes.answered_only = {0.857, 0.914, 1.72, 0.043};
        summary.extra.unscored_count = 4;
        summary.extra.aggregate_score_bounds = statistics::Interval{0.84, 0.93};
        summary.extra.latency_model_sources = {{{"provider_reported", 200}, {"wire_estimate", 80}},
                                               20};
        summary.extra.hallucination_sources = {{{"derived", 276}, {"judge", 0}}, 24};
        summary.all.spec.failure_latency_ms = {60000, 61000};
        summary.all.spec.failure_latency_count = 20;
        summary.run_id = "r-1";
        summary.dataset_hash = std::string(64, 'a');
        summary.policy_hash = std::string(64, 'b');
    }

    static job::TrialRecord failed_trial(int index) {
        job::TrialRecord record;
        record.sample_id = "s" + std::to_string(index);
        record.sample_index = index;
        record.answer = kHostile;
        record.rationale = kHostile;
        record.latency_e2e_ms = 12.5;
        record.correctness_score = 0;
        record.failure_label = job::FailureLabel::incorrect_answer;
        record.cost_usd = 0.25;
        return record;
    }
};

}  // namespace evalfleet::report
