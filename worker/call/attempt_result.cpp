#include "worker/call/attempt_result.hpp"

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

AttemptResult classify_refusal(Refusal refusal, const AttemptTerms& terms) {
    AttemptResult result;
    result.request_id = std::move(refusal.request_id);
    result.finish_reason = std::move(refusal.finish_reason);
    result.refused_parameter = std::move(refusal.refused_parameter);
    result.refused_status = refusal.status;
    result.refuses_credentials = refusal.refuses_credentials || refusal.status == kUnauthorized;
    result.retry_after = refusal.retry_after;
    result.failure = {kind_of_status(refusal.status), std::move(refusal.message), false};
    if (refusal.should_retry == false) return result;
    const int status = refusal.should_retry ? kServiceUnavailable : refusal.status;
    result.retry_in =
        terms.policy.after_status(terms.attempt, status, refusal.retry_after, terms.random);
    return result;
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

AttemptResult classify_malformed(const Error& error, const AttemptTerms& terms) {
    AttemptResult result;
    result.failure = {CallError::malformed_response, error.message, false};
    result.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return result;
}

}  // namespace

AttemptResult classify_response(const Protocol& protocol, const WireResponse& response,
                                const AttemptTerms& terms) {
    if (response.status / 100 != 2) {
        return classify_refusal(
            protocol.read_refusal(response.status, response.headers, response.body(), terms.now),
            terms);
    }
    auto reply = response.read(protocol);
    if (!reply) {
        AttemptResult result = classify_malformed(reply.error(), terms);
        result.usage = response.read_usage(protocol);
        return result;
    }
    if (reply->refusal) {
        if (!reply->refusal->request_id) reply->refusal->request_id = reply->request_id;
        AttemptResult result = classify_refusal(*std::move(reply->refusal), terms);
        result.usage = reply->usage;
        return result;
    }
    AttemptResult result;
    result.usage = reply->usage;
    result.request_id = reply->request_id;
    result.finish_reason = reply->finish_reason;
    if (reply->answer.empty()) {
        result.failure = {CallError::empty_response, describe_empty(*reply), false};
    }
    result.reply = *std::move(reply);
    return result;
}

AttemptResult classify_auth_error(const Error& error, const AttemptTerms& terms) {
    AttemptResult result;
    const std::string message = "no credentials: " + error.message;
    const bool may_pass = is_retryable(error.kind);
    result.failure = {may_pass ? CallError::connect : CallError::http_4xx, message, false};
    if (!may_pass) result.refused_status = kUnauthorized;
    if (may_pass) result.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return result;
}

AttemptResult classify_error(const Error& error, bool in_time, const AttemptTerms& terms) {
    AttemptResult result;
    const CallError kind = kind_of_error(error.kind, in_time);
    result.failure = {kind, error.message, kind == CallError::timeout};
    result.retry_in = terms.policy.after_error(terms.attempt, error, terms.random);
    return result;
}

}  // namespace evalfleet::worker
