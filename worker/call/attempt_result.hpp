#pragma once

#include "common/http/retry_policy.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/call/wire_response.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace evalfleet::worker {

/// What comes of one attempt of a call. Neither failure nor retry: it succeeded.
struct AttemptResult {
    std::optional<ModelReply> reply;
    std::optional<CallFailure> failure;
    Usage usage{};  ///< that was reported, with an answer or without: it was billed
    std::optional<std::chrono::milliseconds> retry_in;  ///< empty: this was the last attempt
    std::optional<std::string> request_id;
    std::optional<std::string> finish_reason;
    std::optional<std::string> refused_parameter;  ///< without it the call may succeed
    std::optional<int> refused_status;             ///< what the provider's refusal amounts to
    bool refuses_credentials = false;              ///< with others the call may succeed
    bool is_excused = false;                       ///< and there are others: it does not count
    std::optional<std::chrono::milliseconds> retry_after;  ///< that the provider asked for
};

/// Where in its attempts a call is, and how it decides.
struct AttemptTerms {
    http::RetryPolicy policy;
    int attempt = 1;                              ///< from 1
    double random = 0;                            ///< in [0, 1), for the jitter
    std::chrono::system_clock::time_point now{};  ///< for dates in headers
};

/// Reads a response and says what it is worth. Pure; may be heavy, so not for I/O threads.
///
/// - 2xx with an answer succeeds. Without one it is `empty_response`, which is not tried again: a
///   model that has nothing to say has spoken.
/// - 2xx whose body is no answer is `malformed_response`; only a stream that broke off is tried
///   again. An error told under 2xx counts as the status it amounts to.
/// - 408, 409, 429 and 5xx may be tried again, unless the provider knows better.
[[nodiscard]] AttemptResult classify_response(const Protocol& protocol,
                                              const WireResponse& response,
                                              const AttemptTerms& terms);

/// Pure: no key or token could be had, so that nothing was sent. What refuses us counts as a
/// provider that answers 401; the rest as one that cannot be reached.
[[nodiscard]] AttemptResult classify_auth_error(const Error& error, const AttemptTerms& terms);

/// Pure: lost connections and time-outs may be tried again. `in_time`: the attempt's own deadline
/// had not passed, so that a time-out was one of connecting.
[[nodiscard]] AttemptResult classify_error(const Error& error, bool in_time,
                                           const AttemptTerms& terms);

}  // namespace evalfleet::worker
