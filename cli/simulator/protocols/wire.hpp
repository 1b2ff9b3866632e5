#pragma once

#include "common/async/clock.hpp"
#include "common/http/request_context.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// What several protocols write in the same way.
namespace evalfleet::simulator {

/// The key of `Authorization: Bearer ...`; empty if there is none.
[[nodiscard]] std::string_view bearer_key(const http::RequestContext& request);

/// The value of a header; empty if there is none.
[[nodiscard]] std::string_view header(const http::RequestContext& request, std::string_view name);

/// One server-sent event: with a name if there is one, and the provider's own line ends.
[[nodiscard]] std::string sse_event(std::string_view name, std::string_view data,
                                    std::string_view line_end = "\n");

/// A duration as OpenAI tells it: `1s`, `6m0s`, `120ms`.
[[nodiscard]] std::string go_duration(async::Duration duration);

/// A moment as RFC 3339 has it, in UTC, to the second.
[[nodiscard]] std::string rfc3339(std::chrono::system_clock::time_point moment);

/// Seconds, with a fraction if need be: `2`, `0.5`.
[[nodiscard]] std::string seconds_text(std::chrono::milliseconds duration);

/// Whole milliseconds.
[[nodiscard]] std::string milliseconds_text(std::chrono::nanoseconds duration);

}  // namespace evalfleet::simulator
