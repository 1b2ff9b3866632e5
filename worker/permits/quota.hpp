#pragma once

#include "common/http/headers.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evalfleet::worker {

/// What a provider's headers say about one of its limits.
struct Quota {
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> remaining;
    std::optional<std::chrono::milliseconds> reset;  ///< until it is whole again

    bool operator==(const Quota&) const = default;
};

struct Quotas {
    Quota requests;
    Quota tokens;
};

/// Reads `x-ratelimit-*` (OpenAI, Azure, Groq, OpenRouter) or `anthropic-ratelimit-*`. What makes
/// no sense is left out. Pure.
[[nodiscard]] Quotas read_quotas(const http::Headers& headers,
                                 std::chrono::system_clock::time_point now);

/// How long the key should rest after a good response with these quotas: nothing while there is
/// something left, else until one more call of `tokens` tokens will fit. Providers refill their
/// quotas steadily, so that waiting for a whole one would waste most of it. Pure.
[[nodiscard]] std::chrono::milliseconds rest_after(const Quotas& quotas, std::int64_t tokens);

/// How long the key should rest after a refusal that asked for `retry_after`: as long as that, at
/// most a minute; not at all if it asked for nothing. Pure.
[[nodiscard]] std::chrono::milliseconds rest_after_refusal(
    std::optional<std::chrono::milliseconds> retry_after);

/// `1h2m3.5s`, `120ms`, `59.7s`, or a plain number of seconds; none if it is anything else.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_go_duration(std::string_view text);

/// `2026-11-16T19:30:00Z`, with or without fractions and an offset; none if it is anything else.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_rfc3339(
    std::string_view text);

}  // namespace evalfleet::worker
