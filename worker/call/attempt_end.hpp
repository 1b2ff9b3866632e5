#pragma once

#include "worker/call/attempt_result.hpp"
#include "worker/permits/permit_book.hpp"

#include <chrono>
#include <cstdint>

namespace evalfleet::worker {

/// What an attempt that got a response says about the limits of its provider: how it ended, and for
/// how long the key should rest. What the body says counts as much as the status does: a 429 may be
/// told under status 200 or in the middle of a stream, and when to come back in an error's details.
/// `tokens`: what one more call of this kind would take. Pure.
[[nodiscard]] CallEnd end_of_attempt(const WireResponse& response, const AttemptResult& result,
                                     std::int64_t tokens,
                                     std::chrono::system_clock::time_point now);

}  // namespace evalfleet::worker
