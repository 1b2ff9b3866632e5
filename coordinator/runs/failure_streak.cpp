#include "coordinator/runs/failure_streak.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::runs {

bool FailureStreak::is_fatal(std::int64_t http_status) noexcept {
    constexpr std::array<std::int64_t, 6> kFatal{401, 402, 403, 404, 405, 410};
    return std::find(kFatal.begin(), kFatal.end(), http_status) != kFatal.end();
}

void FailureStreak::observe(const Tally::Trial& trial) {
    if (trial.is_answered) {
        of_model_ = 0;
        if (!trial.evaluator_error)
            of_judge_ = 0;
        else if (trial.evaluator_http_status && is_fatal(*trial.evaluator_http_status))
            count(of_judge_, "the judge", *trial.evaluator_http_status, trial.error_message);
        return;
    }
    const bool refused = trial.error_kind == job::CallError::http_4xx && trial.http_status &&
                         is_fatal(*trial.http_status);
    if (refused) count(of_model_, "the model", *trial.http_status, trial.error_message);
}

void FailureStreak::count(std::uint64_t& streak, std::string_view who, std::int64_t status,
                          const std::string& message) {
    ++streak;
    if (limit_ == 0 || streak < limit_ || reason_) return;
    reason_ = "paused: " + std::to_string(streak) + " calls in a row to " + std::string(who) +
              " were refused with HTTP " + std::to_string(status);
    if (!message.empty()) *reason_ += " (" + message + ")";
    *reason_ += "; mend it, then resume the run";
}

void FailureStreak::reset() {
    of_model_ = 0;
    of_judge_ = 0;
    reason_.reset();
}

}  // namespace evalfleet::runs
