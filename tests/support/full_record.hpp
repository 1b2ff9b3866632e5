#pragma once

#include "common/job/trial_record.hpp"

namespace evalfleet::testing {

/// A record of which every member is set to something else than its default, for tests that no
/// member may be forgotten in. `RecordFields` in unit_records shows that none is left out here.
/// It passes both conditions, so that it can be reduced; else it need not make sense.
inline job::TrialRecord full_record() {
    job::TrialRecord record;
    record.evaluation_schema_version = job::SchemaVersion::v1_0;
    record.run_id = "r1";
    record.sample_id = "s7";
    record.sample_index = 7;
    record.repeat = 3;
    record.task_type = "qa";
    record.tags = {{"lang", "en"}, {"", ""}};
    record.rejudged_from = "r0";

    record.answer = "said";
    record.answer_original = "v1.0123456789abcdef.QUJD";
    record.judged_answer = job::JudgedAnswer::redacted;
    record.finish_reason = "stop";
    record.model_reported = "m-1";
    record.system_fingerprint = "fp-1";
    record.provider_request_id = "req-1";
    record.refused_parameters = {"seed"};
    record.prompt_cut = true;
    record.seed_supported = false;
    record.worker_environment = "region=eu";
    record.attempts = 2;
    record.deliveries = 4;
    record.setbacks = {{"connect", 1}, {"http_429", 2}};
    record.failed_attempts = {{"http_5xx", 1}};
    record.http_status = 200;
    record.error_kind = job::CallError::http_429;
    record.error_message = "slow down";
    record.timed_out = true;

    record.latency_e2e_ms = 1200.5;
    record.latency_model_ms = 1100.25;
    record.latency_model_source = job::LatencySource::first_to_last_byte;
    record.latency_first_token_ms = 300.125;
    record.timing_error_bound_ms = 0.5;
    record.started_at_utc = "2026-01-02T03:04:05.678Z";
    record.timing = {1, 2, 3, 4, 5, 0.25, 7, 8};

    record.input_tokens = 9007199254740992;
    record.output_tokens = 20;
    record.reasoning_tokens = 7;
    record.total_tokens = 9007199254741012;
    record.output_input_ratio = 1.0 / 3;
    record.tokens_source = job::TokensSource::estimated;
    record.cache_read_input_tokens = 5;
    record.cache_write_input_tokens = 6;
    record.estimated_cache_savings_tokens = 5;
    record.estimated_cache_savings_usd = -1e-9;
    record.cost_usd = 0.25;
    record.failed_attempts_input_tokens = 11;
    record.failed_attempts_output_tokens = 12;

    record.correctness_score = 1;
    record.faithfulness_score = 2;
    record.hallucination_score = 0;
    record.hallucination_source = job::HallucinationSource::judge;
    record.rationale = "because";
    record.evaluator_error = job::EvaluatorError::call_error;
    record.evaluator_attempts = 2;
    record.evaluator_failed_attempts = {{"timeout", 1}};
    record.evaluator_http_status = 503;
    record.evaluator_error_message = "overloaded";
    record.evaluator_finish_reason = "length";
    record.evaluator_refused_parameters = {"top_p"};
    record.evaluator_reply_faults = {"no JSON"};
    record.evaluator_raw_output = "well";
    record.evaluator_latency_ms = 90.5;
    record.evaluator_input_tokens = 31;
    record.evaluator_output_tokens = 32;
    record.evaluator_reasoning_tokens = 33;
    record.evaluator_cache_read_input_tokens = 34;
    record.evaluator_cache_write_input_tokens = 35;
    record.evaluator_cost_usd = 0.5;
    record.evaluator_model_reported = "j-1";
    record.judge_failure_label = "other";
    record.format_check_passed = false;
    record.redactions = {{"email", 1}};

    record.accuracy_norm = 0.5;
    record.faithfulness_norm = 1;
    record.latency_norm = 0.75;
    record.token_efficiency_norm = 0.125;
    record.sample_score = 0.625;
    record.rubric_passed = true;
    record.spec_passed = true;
    record.failure_label = job::FailureLabel::other;
    record.failure_labels_secondary = {job::FailureLabel::incorrect_answer,
                                       job::FailureLabel::hallucinated_fact};
    return record;
}

}  // namespace evalfleet::testing
