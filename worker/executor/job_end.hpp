#pragma once

#include "common/result/result.hpp"
#include "worker/trial/trial_runner.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace evalfleet::worker {

/// What is to be told to the queue about a job that we are through with.
struct JobEnd {
    enum class Kind {
        deliver,   ///< `text` is the record
        fail,      ///< `text` says why we could not do it
        put_back,  ///< tried again later, elsewhere if possible
        release,   ///< undone; somebody else may have it at once
        forget,    ///< nothing: it is not ours any more, and nobody wants what we have
    };
    Kind kind = Kind::release;
    std::string text{};
    std::uint64_t max_tries = 1;         ///< of `fail`
    std::chrono::milliseconds delay{0};  ///< of `fail`
    queue::Spent spent{};                ///< of `deliver`
    queue::JobSetback setback{};         ///< of `put_back`
};

/// A finished trial is delivered; but a failed one whose lease was lost is not, since whoever has
/// the job now may do better. One that infrastructure was in the way of is put back. One whose
/// record is larger than the queue can hand on is given up, and says so. Pure.
[[nodiscard]] JobEnd end_of_trial(TrialResult trial, bool lease_lost);

/// A payload that cannot be read gets no better: one try. Pure.
[[nodiscard]] JobEnd end_of_bad_payload(const Error& error);

/// A run that we cannot work for: another worker, with other providers or of another version, may.
/// The coordinator hears of it, and finds out if none does. Pure.
[[nodiscard]] JobEnd end_of_bad_run(const Error& error);

/// A bug of ours: tried again a few times, it may be a rare one. Pure.
[[nodiscard]] JobEnd end_of_bug(std::string what);

}  // namespace evalfleet::worker
