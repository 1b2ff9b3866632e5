#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/run_book.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string_view>

namespace evalfleet::runs {

/// How long one call to Redis may take before it is given up and tried again.
inline constexpr std::chrono::seconds kCallTimeout{10};

/// What a role does with a failed call to Redis, the same for all: says what stands in the way,
/// waits a moment and lets the role try again. A run that was taken over is not tried again: throws
/// Fenced. A run that Redis has forgotten wants an audit, which also puts it back.
[[nodiscard]] boost::asio::awaitable<void> backoff(async::Clock& clock, RunBook& book,
                                                   const log::Logger& logger, std::string_view step,
                                                   Error error);

/// The opposite: the call worked.
void clear_blocked_reason(RunBook& book);

}  // namespace evalfleet::runs
