#include "coordinator/runs/failure_streak.hpp"

#include "common/job/lost_reasons.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::runs {

namespace {

using namespace std::string_view_literals;
using job::CallError;

bool is_refusal(const std::optional<CallError>& kind) {
    return kind == CallError::http_4xx || kind == CallError::http_429;
}

bool cannot_get_better(std::optional<std::int64_t> status, std::string_view message) {
    return (status && FailureStreak::is_fatal(*status)) || FailureStreak::is_about_account(message);
}

bool is_run_refused(const Tally::Trial& trial) {
    return trial.error_kind == CallError::worker_lost &&
           trial.error_message.starts_with(job::kRunRefused);
}

std::string calls_to(std::string_view role, const std::string& callee) {
    std::string text = " calls in a row to " + std::string(role);
    if (!callee.empty()) text += " (" + callee + ")";
    return text;
}

}  // namespace

bool FailureStreak::is_fatal(std::int64_t http_status) noexcept {
    constexpr std::array<std::int64_t, 6> kFatal{401, 402, 403, 404, 405, 410};
    return std::find(kFatal.begin(), kFatal.end(), http_status) != kFatal.end();
}

bool FailureStreak::is_about_account(std::string_view message) noexcept {
    constexpr std::array kWords{"(insufficient_quota)"sv,
                                "(credit_balance_exhausted)"sv,
                                "(billing_hard_limit_reached)"sv,
                                "(billing_not_active)"sv,
                                "(billing_error)"sv,
                                "(enforced_spend_limit_reached)"sv,
                                "(API_KEY_INVALID)"sv,
                                "(daily quota)"sv};
    return std::any_of(kWords.begin(), kWords.end(), [message](std::string_view word) {
        return message.find(word) != std::string_view::npos;
    });
}

void FailureStreak::observe(const Tally::Trial& trial) {
    if (trial.is_answered) {
        of_model_ = 0;
        if (!trial.evaluator_error)
            of_judge_ = 0;
        else if (cannot_get_better(trial.evaluator_http_status, trial.error_message))
            count(of_judge_, calls_to("the judge", callees_.judge), trial,
                  trial.evaluator_http_status);
        return;
    }
    const bool is_hopeless =
        trial.error_kind == CallError::tls ||
        (is_refusal(trial.error_kind) && cannot_get_better(trial.http_status, trial.error_message));
    if (is_hopeless)
        count(of_model_, calls_to("the model", callees_.model), trial, trial.http_status);
    else if (is_run_refused(trial))
        count(of_model_, " trials in a row", trial, std::nullopt);
}

void FailureStreak::count(std::uint64_t& streak, std::string_view what, const Tally::Trial& trial,
                          std::optional<std::int64_t> status) {
    ++streak;
    if (limit_ == 0 || streak < limit_ || reason_) return;
    reason_ = "paused: " + std::to_string(streak) + std::string(what);
    *reason_ += status ? " were refused with HTTP " + std::to_string(*status) : " failed";
    if (!trial.error_message.empty()) *reason_ += " (" + trial.error_message + ")";
    *reason_ += "; mend it, then resume the run";
}

void FailureStreak::reset() {
    of_model_ = 0;
    of_judge_ = 0;
    reason_.reset();
}

}  // namespace evalfleet::runs
