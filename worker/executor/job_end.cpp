#include "worker/executor/job_end.hpp"

#include "common/job/lost_reasons.hpp"
#include "common/job/setback.hpp"
#include "common/queue/bounds.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace evalfleet::worker {

namespace {

constexpr std::uint64_t kFewTries = 3;
constexpr std::chrono::milliseconds kRetryDelay{5'000};

// It could not be read by anybody, and the next one would be as large.
JobEnd end_of_large_record(const FinishedTrial& finished) {
    return {JobEnd::Kind::fail,
            fmt::format("the trial's record has {} bytes; at most {} can be handed on",
                        finished.record.size(), queue::kMaxRecordBytes),
            1, std::chrono::milliseconds(0)};
}

}  // namespace

JobEnd end_of_trial(TrialResult trial, bool lease_lost) {
    if (auto* setback = std::get_if<queue::JobSetback>(&trial)) {
        JobEnd end{JobEnd::Kind::put_back};
        end.setback = std::move(*setback);
        return end;
    }
    auto& finished = std::get<FinishedTrial>(trial);
    if (lease_lost && !finished.succeeded) return {JobEnd::Kind::forget};
    if (finished.record.size() > queue::kMaxRecordBytes) return end_of_large_record(finished);
    JobEnd end{JobEnd::Kind::deliver, std::move(finished.record)};
    end.spent = finished.spent;
    return end;
}

JobEnd end_of_bad_payload(const Error& error) {
    return {JobEnd::Kind::fail, error.message, 1, std::chrono::milliseconds(0)};
}

JobEnd end_of_bad_run(const Error& error) {
    JobEnd end{JobEnd::Kind::put_back};
    job::Setback setback;
    setback.kind = job::CallError::worker_lost;
    setback.message = std::string(job::kRunRefused) + error.message;
    end.setback = {kRetryDelay, std::chrono::milliseconds(0), {}, job::to_json(setback)};
    return end;
}

JobEnd end_of_bug(std::string what) {
    return {JobEnd::Kind::fail, "internal error: " + std::move(what), kFewTries, kRetryDelay};
}

}  // namespace evalfleet::worker
