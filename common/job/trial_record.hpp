#pragma once

#include "common/job/vocabulary.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::job {

using Tags = std::map<std::string, std::string, std::less<>>;

/// Where the time of a trial went, in milliseconds: for whoever asks why a latency is what it is.
/// The parts before the first dispatch are no part of any latency.
struct TrialTiming {
    std::optional<double> queue_wait_ms;   ///< in the queue, until a worker took the trial
    std::optional<double> permit_wait_ms;  ///< for permits of the provider, over all attempts
    std::optional<double> retry_wait_ms;   ///< between attempts
    std::optional<double> connect_ms;      ///< of the last attempt; 0 where a connection was kept
    std::optional<double> first_byte_ms;   ///< of the last attempt: request written to first byte
    std::optional<double> round_trip_ms;   ///< of its connection: the shortest
    std::optional<double> model_ms;        ///< of the last attempt: dispatch to last byte
    std::optional<double> judge_ms;        ///< all calls of the judge, their retries included

    bool operator==(const TrialTiming&) const = default;
};

/// Everything that is known about one trial: one sample, asked once. Workers fill in what they
/// measured, scoring derives the rest, and nothing else is kept of a trial.
///
/// What is unknown is empty and is written as null, never as 0 or -1. Where the Rubric and the
/// Specification have different names for one thing the record has one member, written under both
/// names: accuracy_score/correctness_score, rationale/evaluator_notes and
/// token_efficiency_ratio/output_input_ratio.
struct TrialRecord {
    // Identity
    SchemaVersion evaluation_schema_version = kSchemaVersion;  ///< as the record came
    std::optional<std::string> run_id;
    std::optional<std::string> sample_id;
    std::int64_t sample_index = 0;  ///< 0-based line of the dataset
    std::int64_t repeat = 1;        ///< 1-based
    std::string task_type = "default";
    Tags tags;
    std::optional<std::string> rejudged_from;  ///< the run whose answer was judged anew

    // Call
    std::optional<std::string> answer;
    /// What the model said where `answer` is redacted, readable for the owner of a key only.
    std::optional<std::string> answer_original{};
    std::optional<JudgedAnswer> judged_answer{};  ///< of one that was judged anew and is redacted
    std::optional<std::string> finish_reason;
    std::optional<std::string> model_reported;  ///< as the provider named the model that answered
    std::optional<std::string> system_fingerprint;  ///< of the build that answered
    std::optional<std::string> provider_request_id;
    std::vector<std::string> refused_parameters;  ///< left out since the model does not take them
    bool prompt_cut = false;  ///< the provider counted far fewer tokens than the prompt must have
    std::optional<bool> seed_supported;             ///< empty where the run sets no seed
    std::optional<std::string> worker_environment;  ///< where the call was made from, and by what
    std::optional<std::int64_t> attempts;
    std::optional<std::int64_t> deliveries;  ///< of the trial to workers, this one included
    /// How often each kind of failure was in the way before, and the trial was tried again.
    std::map<std::string, std::int64_t, std::less<>> setbacks;
    /// Attempts of the call that failed and were made again, by kind.
    std::map<std::string, std::int64_t, std::less<>> failed_attempts;
    std::optional<std::int64_t> http_status;  ///< of the last attempt
    std::optional<CallError> error_kind;
    std::optional<std::string> error_message;
    bool timed_out = false;

    // Latency
    std::optional<double> latency_e2e_ms;
    std::optional<double> latency_model_ms;
    std::optional<LatencySource> latency_model_source;
    std::optional<double> latency_first_token_ms;
    std::optional<double> timing_error_bound_ms;
    std::optional<std::string> started_at_utc;
    TrialTiming timing;

    // Tokens
    std::optional<std::int64_t> input_tokens;      ///< cached ones included
    std::optional<std::int64_t> output_tokens;     ///< reasoning included
    std::optional<std::int64_t> reasoning_tokens;  ///< of them, where the provider tells
    std::optional<std::int64_t> total_tokens;
    std::optional<double> output_input_ratio;
    std::optional<TokensSource> tokens_source;
    std::optional<std::int64_t> cache_read_input_tokens;
    std::optional<std::int64_t> cache_write_input_tokens;
    std::optional<std::int64_t> estimated_cache_savings_tokens;
    std::optional<double> estimated_cache_savings_usd;
    std::optional<double> cost_usd;  ///< failed attempts included
    /// Of attempts that failed and were made again, as far as the provider counted them.
    std::optional<std::int64_t> failed_attempts_input_tokens;
    std::optional<std::int64_t> failed_attempts_output_tokens;

    // Evaluator
    std::optional<int> correctness_score;
    std::optional<int> faithfulness_score;
    std::optional<int> hallucination_score;
    std::optional<HallucinationSource> hallucination_source;
    std::optional<std::string> rationale;
    std::optional<EvaluatorError> evaluator_error;
    std::optional<std::int64_t> evaluator_attempts;
    /// Attempts of the judge's calls that failed and were made again, by kind.
    std::map<std::string, std::int64_t, std::less<>> evaluator_failed_attempts;
    std::optional<std::int64_t> evaluator_http_status;      ///< of the last attempt
    std::optional<std::string> evaluator_error_message;     ///< why there is no verdict
    std::optional<std::string> evaluator_finish_reason;     ///< of the last reply
    std::vector<std::string> evaluator_refused_parameters;  ///< as `refused_parameters`
    /// Why replies were rejected, in their order; the last may have been good all the same.
    std::vector<std::string> evaluator_reply_faults;
    std::optional<std::string> evaluator_raw_output;  ///< kept only on a parse error
    std::optional<double> evaluator_latency_ms;
    std::optional<std::int64_t> evaluator_input_tokens;
    std::optional<std::int64_t> evaluator_output_tokens;
    std::optional<std::int64_t> evaluator_reasoning_tokens;
    std::optional<std::int64_t> evaluator_cache_read_input_tokens;
    std::optional<std::int64_t> evaluator_cache_write_input_tokens;
    std::optional<double> evaluator_cost_usd;
    std::optional<std::string> evaluator_model_reported;
    std::optional<std::string> judge_failure_label;  ///< ignored where it is not in the taxonomy
    std::optional<bool> format_check_passed;

    /// How many pieces of the record's texts were replaced before it was written, by kind.
    std::map<std::string, std::int64_t, std::less<>> redactions;

    // Derived
    std::optional<double> accuracy_norm;
    std::optional<double> faithfulness_norm;
    std::optional<double> latency_norm;
    std::optional<double> token_efficiency_norm;
    std::optional<double> sample_score;
    bool rubric_passed = false;
    bool spec_passed = false;
    std::optional<FailureLabel> failure_label;
    std::vector<FailureLabel> failure_labels_secondary;

    bool operator==(const TrialRecord&) const = default;
};

/// True if the stored answer is not what the model said.
[[nodiscard]] inline bool is_answer_redacted(const TrialRecord& record) noexcept {
    return record.answer && !record.redactions.empty() &&
           record.answer->find("[REDACTED:") != std::string::npos;
}

/// True if the model gave a usable answer: in time, without an error, at least one character
/// (white space counts). Everything else is non-responsive.
[[nodiscard]] inline bool is_answered(const TrialRecord& record) noexcept {
    return !record.timed_out && !record.error_kind && record.answer && !record.answer->empty();
}

}  // namespace evalfleet::job
