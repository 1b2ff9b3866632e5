#include "worker/call/attempt_verdict.hpp"

namespace evalfleet::worker {

namespace {

using job::CallError;

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

}  // namespace

AttemptVerdict judge_response(const Protocol& protocol, const http::Response& response,
                              const AttemptTerms& terms) {
    if (response.status / 100 == 2) return {};
    Refusal refusal =
        protocol.read_refusal(response.status, response.headers, response.body, terms.now);
    AttemptVerdict verdict;
    verdict.request_id = std::move(refusal.request_id);
    verdict.failure = {kind_of_status(response.status), std::move(refusal.message), false};
    if (refusal.should_retry == false) return verdict;
    const int status = refusal.should_retry ? kServiceUnavailable : response.status;
    verdict.retry_in =
        terms.policy.after_status(terms.attempt, status, refusal.retry_after, terms.random);
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
