#pragma once

#include "common/async/clock.hpp"
#include "common/job/setback.hpp"
#include "worker/call/call_outcome.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace evalfleet::worker {

/// Why a call failed, if that is no fault of the model that was called: the provider refused, could
/// not be reached, or broke down. A model that did not answer in time has had its say. Pure.
[[nodiscard]] std::optional<job::Setback> setback_of(const CallOutcome& outcome, job::CallRole role,
                                                     const std::string& provider);

/// True for a refusal that is a matter of the sample and not of the key or the model: 403 or 404
/// (a filter, an input that no endpoint takes), again, for a trial that was `refused_before` so
/// often, while others got answers since its first attempt. Pure.
[[nodiscard]] bool is_of_sample(const CallOutcome& outcome, std::int64_t refused_before,
                                async::TimePoint first_attempt);

/// How long a trial waits after its setback number `count` (from 1) before it is tried again: twice
/// as long each time, from one second to ten, from half of that on at random, and at least as long
/// as the provider asked for. Pure; `random` is in [0, 1).
[[nodiscard]] std::chrono::milliseconds setback_delay(
    std::int64_t count, std::optional<std::chrono::milliseconds> retry_after, double random);

/// How a trial ends that was put back for these and got no permit any more: as it failed most
/// often. None if it was never put back. Pure.
[[nodiscard]] std::optional<CallFailure> failure_of(const job::SetbackCounts& counts);

/// All of them together.
[[nodiscard]] std::int64_t count_setbacks(const job::SetbackCounts& counts);

}  // namespace evalfleet::worker
