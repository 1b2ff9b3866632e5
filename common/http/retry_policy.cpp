#include "common/http/retry_policy.hpp"

#include "common/http/date.hpp"
#include "common/http/headers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <random>

namespace evalfleet::http {

using std::chrono::milliseconds;

namespace {

// A longer wish is as good as this one, and arithmetic on it cannot overflow.
constexpr std::chrono::seconds kLongestWish = std::chrono::hours(24 * 365);

/// min(cap, base x 2^(attempt-1)) without overflow.
milliseconds ceiling(const RetryConfig& config, int attempt) {
    milliseconds limit = std::min(config.base, config.cap);
    for (int i = 1; i < attempt && limit < config.cap; ++i)
        limit = std::min(limit * 2, config.cap);
    return limit;
}

/// `120`, `0.5`: digits, with or without a fraction. Rounded up.
std::optional<milliseconds> parse_seconds(std::string_view text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return std::nullopt;
    double seconds = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
    if (end != text.data() + text.size()) return std::nullopt;
    const std::chrono::duration<double> longest = kLongestWish;
    if (error != std::errc() || seconds >= longest.count()) return kLongestWish;
    return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::optional<milliseconds> RetryPolicy::wait(int attempt, std::optional<milliseconds> retry_after,
                                              double random) const {
    if (attempt >= config_.max_attempts) return std::nullopt;
    const auto longest = static_cast<double>(ceiling(config_, attempt).count());
    const milliseconds drawn(static_cast<std::int64_t>(longest * random));
    if (!retry_after) return drawn;
    return std::max(drawn, std::min(*retry_after, config_.max_retry_after));
}

std::optional<milliseconds> RetryPolicy::after_status(int attempt, int status,
                                                      std::optional<milliseconds> retry_after,
                                                      double random) const {
    if (!is_retryable_status(status)) return std::nullopt;
    return wait(attempt, retry_after, random);
}

std::optional<milliseconds> RetryPolicy::after_error(int attempt, const Error& error,
                                                     double random) const {
    if (!is_retryable(error.kind)) return std::nullopt;
    return wait(attempt, error.retry_after, random);
}

bool is_retryable_status(int status) noexcept {
    if (status == 408 || status == 409 || status == 429) return true;
    return status >= 500 && status <= 599 && status != 501 && status != 505;
}

std::optional<milliseconds> parse_retry_after(std::string_view value,
                                              std::chrono::system_clock::time_point now) {
    value = trim(value);
    if (const auto seconds = parse_seconds(value)) return seconds;
    const auto date = parse_date(value, std::chrono::floor<std::chrono::seconds>(now));
    if (!date) return std::nullopt;
    // In milliseconds, in which even the year 9999 does not overflow.
    return std::clamp<milliseconds>(*date - std::chrono::floor<milliseconds>(now), milliseconds(0),
                                    kLongestWish);
}

double random_fraction() {
    thread_local std::mt19937_64 generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace evalfleet::http
