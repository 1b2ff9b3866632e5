#include "worker/call/attempt_verdict.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::worker {

namespace {

using job::CallError;

constexpr int kUnauthorized = 401;
constexpr int kServiceUnavailable = 503;  // stands for any status that may pass by itself

CallError kind_of_status(int status) {
    if (status == 429) return CallError::http_429;
    if (status >= 500) return CallError::http_5xx;
    if (status >= 400) return CallError::http_4xx;
    return CallError::malformed_response;  // a redirect, which would carry the key elsewhere
}

CallError kind_of_error(ErrorKind kind, bool in_time) {
    switch (kind) {
        case ErrorKind::timeout:
            return in_time ? CallError::connect : CallError::timeout;
        case ErrorKind::tls:
            return CallError::tls;
        case ErrorKind::invalid:
        case ErrorKind::too_large:
            return CallError::malformed_response;
        default:
            return CallError::connect;
    }
}

AttemptVerdict judge_refusal(Refusal refusal, const AttemptTerms& terms) {
    AttemptVerdict verdict;
    verdict.request_id = std::move(refusal.request_id);
    verdict.finish_reason = std::move(refusal.finish_reason);
    verdict.refused_parameter = std::move(refusal.refused_parameter);
    verdict.refused_status = refusal.status;
    verdict.refuses_credentials = refusal.refuses_credentials || refusal.status == kUnauthorized;
    verdict.retry_after = refusal.retry_after;
    verdict.failure = {kind_of_status(refusal.status), std::move(refusal.message), false};
    if (refusal.should_retry == false) return verdict;
    const int status = refusal.should_retry ? kServiceUnavailable : refusal.status;
    verdict.retry_in =
        terms.policy.after_status(terms.attempt, status, refusal.retry_after, terms.random);
    return verdict;
}

/// A model that thinks until its tokens are used up says nothing, however often it is asked.
std::string describe_empty(const ModelReply& reply) {
    if (reply.finish_reason != "length") return "the answer has no text";
    std::string text = "the answer has no text: max_tokens was reached ";
    text += reply.usage.reasoning_tokens.value_or(0) > 0
                ? fmt::format("while thinking ({} reasoning tokens)", *reply.usage.reasoning_tokens)
                : "before the first text, probably while thinking";
    return text + "; raise max_tokens";
}

AttemptVerdict judge_malformed(const Error& error, const AttemptTerms& terms) {
    AttemptVerdict verdict;
    verdict.failure = {CallError::malformed_response, error.message, false};
    verdict.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return verdict;
}

}  // namespace

AttemptVerdict judge_response(const Protocol& protocol, const WireResponse& response,
                              const AttemptTerms& terms) {
    if (response.status / 100 != 2) {
        return judge_refusal(
            protocol.read_refusal(response.status, response.headers, response.body(), terms.now),
            terms);
    }
    auto reply = response.read(protocol);
    if (!reply) {
        AttemptVerdict verdict = judge_malformed(reply.error(), terms);
        verdict.usage = response.read_usage(protocol);
        return verdict;
    }
    if (reply->refusal) {
        if (!reply->refusal->request_id) reply->refusal->request_id = reply->request_id;
        AttemptVerdict verdict = judge_refusal(*std::move(reply->refusal), terms);
        verdict.usage = reply->usage;
        return verdict;
    }
    AttemptVerdict verdict;
    verdict.usage = reply->usage;
    verdict.request_id = reply->request_id;
    verdict.finish_reason = reply->finish_reason;
    if (reply->answer.empty()) {
        verdict.failure = {CallError::empty_response, describe_empty(*reply), false};
    }
    verdict.reply = *std::move(reply);
    return verdict;
}

AttemptVerdict judge_auth_error(const Error& error, const AttemptTerms& terms) {
    AttemptVerdict verdict;
    const std::string message = "no credentials: " + error.message;
    const bool may_pass = is_retryable(error.kind);
    verdict.failure = {may_pass ? CallError::connect : CallError::http_4xx, message, false};
    if (!may_pass) verdict.refused_status = kUnauthorized;
    if (may_pass) verdict.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return verdict;
}

AttemptVerdict judge_error(const Error& error, bool in_time, const AttemptTerms& terms) {
    AttemptVerdict verdict;
    const CallError kind = kind_of_error(error.kind, in_time);
    verdict.failure = {kind, error.message, kind == CallError::timeout};
    verdict.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return verdict;
}

}  // namespace evalfleet::worker
