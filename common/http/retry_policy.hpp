#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace evalfleet::http {

/// How often and how late a failed call is tried again.
struct RetryConfig {
    int max_attempts = 5;                   ///< the first one counted
    std::chrono::milliseconds base{500};    ///< the longest wait after the first attempt
    std::chrono::milliseconds cap{30'000};  ///< the longest wait at all
    std::chrono::milliseconds max_retry_after{60'000};  ///< a server's wish is heard up to this
};

/// Decides whether a call is tried again, and when. Pure: the caller brings the randomness.
///
/// After attempt n the wait is drawn evenly from 0 to min(cap, base x 2^(n-1)) ("full jitter", so
/// that callers that failed together do not come back together). With a `Retry-After` of the server
/// it is at least that long, as far as `max_retry_after` allows.
class RetryPolicy {
  public:
    explicit RetryPolicy(RetryConfig config = {}) : config_(config) {}

    /// The wait before the next attempt after attempt number `attempt` (from 1) was answered with
    /// `status`; empty to give up. `random` is in [0, 1).
    [[nodiscard]] std::optional<std::chrono::milliseconds> after_status(
        int attempt, int status, std::optional<std::chrono::milliseconds> retry_after,
        double random) const;

    /// The same after a call that ended in an error.
    [[nodiscard]] std::optional<std::chrono::milliseconds> after_error(int attempt,
                                                                       const Error& error,
                                                                       double random) const;

  private:
    [[nodiscard]] std::optional<std::chrono::milliseconds> wait(
        int attempt, std::optional<std::chrono::milliseconds> retry_after, double random) const;

    RetryConfig config_;
};

/// 408, 409, 429 and 5xx may pass by themselves (but for 501 and 505, which say "never").
[[nodiscard]] bool is_retryable_status(int status) noexcept;

/// `Retry-After` as seconds, with or without a fraction, or as a date; empty if it is neither. A
/// date in the past is zero.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view value, std::chrono::system_clock::time_point now);

/// A random number in [0, 1) for the jitter of a `RetryPolicy`. From any thread.
[[nodiscard]] double random_fraction();

}  // namespace evalfleet::http
