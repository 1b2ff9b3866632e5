#include "worker/executor/job_end.hpp"

#include "common/job/lost_reasons.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::uint64_t kFewTries = 3;
constexpr std::chrono::milliseconds kRetryDelay{5'000};

}  // namespace

JobEnd end_of_trial(FinishedTrial trial, bool lease_lost) {
    if (lease_lost && !trial.succeeded) return {JobEnd::Kind::forget};
    JobEnd end{JobEnd::Kind::deliver, std::move(trial.record)};
    end.spent = trial.spent;
    return end;
}

JobEnd end_of_bad_payload(const Error& error) {
    return {JobEnd::Kind::fail, error.message, 1, std::chrono::milliseconds(0)};
}

JobEnd end_of_bad_run(const Error& error) {
    return {JobEnd::Kind::fail, std::string(job::kRunRefused) + error.message, kFewTries,
            kRetryDelay};
}

JobEnd end_of_bug(std::string what) {
    return {JobEnd::Kind::fail, "internal error: " + std::move(what), kFewTries, kRetryDelay};
}

}  // namespace evalfleet::worker
