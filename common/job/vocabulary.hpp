#pragma once

#include "common/job/names.hpp"

#include <array>
#include <string_view>

namespace evalfleet::job {

using namespace std::string_view_literals;

/// The shapes of records and run metadata that are read.
enum class SchemaVersion { v1_0, v1_1 };
template <>
struct Names<SchemaVersion> {
    static constexpr std::array values{"1.0"sv, "1.1"sv};
};

/// The version of the shape of records, summaries and run metadata that is written.
inline constexpr SchemaVersion kSchemaVersion = SchemaVersion::v1_1;
inline constexpr std::string_view kEvaluationSchemaVersion = to_string(kSchemaVersion);

/// Why a trial failed, in the order of the Specification's taxonomy (4.2).
enum class FailureLabel {
    incorrect_answer,
    missing_required_content,
    unfaithful_to_context,
    hallucinated_fact,
    format_or_schema_violation,
    tool_or_retrieval_misuse,
    timeout_or_latency_exceeded,
    other,
};
template <>
struct Names<FailureLabel> {
    static constexpr std::array values{"incorrect_answer"sv,
                                       "missing_required_content"sv,
                                       "unfaithful_to_context"sv,
                                       "hallucinated_fact"sv,
                                       "format_or_schema_violation"sv,
                                       "tool_or_retrieval_misuse"sv,
                                       "timeout_or_latency_exceeded"sv,
                                       "other"sv};
};
inline constexpr std::size_t kFailureLabelCount = Names<FailureLabel>::values.size();

/// Why a model call has no usable answer.
enum class CallError {
    timeout,
    connect,
    tls,
    http_4xx,
    http_429,
    http_5xx,
    malformed_response,
    empty_response,
    cancelled,
    worker_lost,
};
template <>
struct Names<CallError> {
    static constexpr std::array values{"timeout"sv,
                                       "connect"sv,
                                       "tls"sv,
                                       "http_4xx"sv,
                                       "http_429"sv,
                                       "http_5xx"sv,
                                       "malformed_response"sv,
                                       "empty_response"sv,
                                       "cancelled"sv,
                                       "worker_lost"sv};
};

/// Where the model-only latency comes from, best first; the last is of records of 1.0.
enum class LatencySource { provider_reported, server_timing, wire_estimate, first_to_last_byte };
template <>
struct Names<LatencySource> {
    static constexpr std::array values{"provider_reported"sv, "server_timing"sv, "wire_estimate"sv,
                                       "first_to_last_byte"sv};
};

/// Whether the provider counted the tokens or we estimated them.
enum class TokensSource { provider, estimated };
template <>
struct Names<TokensSource> {
    static constexpr std::array values{"provider"sv, "estimated"sv};
};

/// Whether a hallucination score was given or is 2 - faithfulness.
enum class HallucinationSource { judge, derived };
template <>
struct Names<HallucinationSource> {
    static constexpr std::array values{"judge"sv, "derived"sv};
};

/// Why an answered trial has no scores.
enum class EvaluatorError {
    parse_error,    ///< two replies in a row were not what the template asks for
    call_error,     ///< the judge could not be reached
    missing_label,  ///< people score this run, and none scored this trial
};
template <>
struct Names<EvaluatorError> {
    static constexpr std::array values{"parse_error"sv, "call_error"sv, "missing_label"sv};
};

/// What the judge is asked for.
enum class EvaluatorProfile {
    rubric_v1,       ///< the Rubric's exact template; hallucination is derived
    spec_v1,         ///< the Specification's labels, hallucination scored by the judge itself
    rubric_v1_chat,  ///< as rubric_v1, and the judge sees the whole conversation
    spec_v1_chat,    ///< likewise
};
template <>
struct Names<EvaluatorProfile> {
    static constexpr std::array values{"rubric-v1"sv, "spec-v1"sv, "rubric-v1-chat"sv,
                                       "spec-v1-chat"sv};
};

/// True for those whose replies have the Rubric's scores; the others have the Specification's.
[[nodiscard]] constexpr bool has_rubric_scores(EvaluatorProfile profile) noexcept {
    return profile == EvaluatorProfile::rubric_v1 || profile == EvaluatorProfile::rubric_v1_chat;
}

[[nodiscard]] constexpr bool shows_conversation(EvaluatorProfile profile) noexcept {
    return profile == EvaluatorProfile::rubric_v1_chat || profile == EvaluatorProfile::spec_v1_chat;
}

/// What a judge saw of an answer that is stored redacted.
enum class JudgedAnswer {
    original,  ///< what the model said
    redacted,  ///< what is stored
};
template <>
struct Names<JudgedAnswer> {
    static constexpr std::array values{"original"sv, "redacted"sv};
};

/// What happens to a rationale of more than 80 words.
enum class RationaleLimit { reject, warn };
template <>
struct Names<RationaleLimit> {
    static constexpr std::array values{"reject"sv, "warn"sv};
};

/// Whether the judge's provider is asked to hold its reply to JSON.
enum class JudgeFormat {
    automatic,  ///< where the protocol can; a server that refuses is asked without
    json,       ///< always; a server that refuses fails the call
    none,       ///< never
};
template <>
struct Names<JudgeFormat> {
    static constexpr std::array values{"auto"sv, "json"sv, "none"sv};
};

/// Whether a run may end before its last trial.
enum class EarlyStop {
    never,
    gates,  ///< once the verdict of the gates is certain
};
template <>
struct Names<EarlyStop> {
    static constexpr std::array values{"never"sv, "gates"sv};
};

}  // namespace evalfleet::job
