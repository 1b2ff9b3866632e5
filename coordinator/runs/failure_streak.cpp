#include "coordinator/runs/failure_streak.hpp"

#include "common/job/lost_reasons.hpp"
#include "common/job/measured.hpp"

#include <fmt/format.h>

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

bool is_throttling(const std::optional<CallError>& kind, std::optional<std::int64_t> status) {
    return kind == CallError::http_429 || status == 429;
}

// A call that failed, and may not the next time. A worker that was lost is no call.
bool is_outage(std::optional<CallError> kind, std::optional<std::int64_t> status) {
    return kind && *kind != CallError::worker_lost && job::is_infrastructure(*kind, status);
}

bool is_run_refused(std::optional<CallError> kind, std::string_view message) {
    return kind == CallError::worker_lost && message.starts_with(job::kRunRefused);
}

bool is_hopeless(std::optional<CallError> kind, std::optional<std::int64_t> status,
                 std::string_view message) {
    return kind == CallError::tls || is_run_refused(kind, message) ||
           (is_refusal(kind) && cannot_get_better(status, message));
}

// The status of a request that was refused for what it says; 408, 409 and 429 are of the moment.
std::optional<std::int64_t> refused_status(std::optional<std::int64_t> status) {
    const bool is_of_the_moment = status == 408 || status == 409 || status == 429;
    if (!status || *status / 100 != 4 || is_of_the_moment) return std::nullopt;
    return status;
}

// Of a trial that a redirect or a reply that cannot be read ended, the status of that.
std::optional<std::int64_t> refused_request(const Tally::Trial& trial) {
    if (trial.error_kind == CallError::malformed_response) return trial.http_status.value_or(0);
    if (trial.error_kind != CallError::http_4xx) return std::nullopt;
    return refused_status(trial.http_status);
}

std::optional<std::int64_t> refused_judgement(const Tally::Trial& trial) {
    if (trial.evaluator_error != job::EvaluatorError::call_error) return std::nullopt;
    return refused_status(trial.evaluator_http_status);
}

std::string in_brackets(std::string_view message) {
    return message.empty() ? std::string() : fmt::format(" ({})", message);
}

std::string number_of_calls(std::uint64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "call" : "calls");
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

bool FailureStreak::Sameness::take(std::optional<std::int64_t> next) {
    if (is_broken || !next || (what && *what != *next)) {
        is_broken = true;
        return false;
    }
    what = next;
    ++count;
    return true;
}

void FailureStreak::observe(const Tally::Trial& trial, async::TimePoint now) {
    observe_call(trial, now);
    if (trial.is_answered) observe_judgement(trial);
}

void FailureStreak::observe_call(const Tally::Trial& trial, async::TimePoint now) {
    const Failure failure{Setback::Role::model, trial.error_kind, trial.http_status,
                          trial.error_message};
    if (trial.is_answered)
        succeed(model_);
    else if (!trial.was_refused_before &&
             is_hopeless(failure.kind, failure.http_status, failure.message))
        count_fatal(failure);
    else if (is_outage(failure.kind, failure.http_status))
        count_outage(failure, trial.attempts, now);
    if (refusals_.take(refused_request(trial)) && refusals_.count >= limit_)
        tell(fmt::format("all {} to {} {}", number_of_calls(refusals_.count), callee(failure.role),
                         how(failure, refusals_.count)));
}

void FailureStreak::observe_judgement(const Tally::Trial& trial) {
    using job::EvaluatorError;
    const Failure failure{Setback::Role::judge, std::nullopt, trial.evaluator_http_status,
                          trial.error_message};
    if (!trial.evaluator_error) succeed(judge_);
    // Without a status it gave no answer; once it has given one, that is of the moment.
    const bool is_away = trial.evaluator_error == EvaluatorError::call_error &&
                         !trial.evaluator_http_status && !judge_.has_succeeded;
    const bool is_unreadable = trial.evaluator_error == EvaluatorError::parse_error;
    const bool is_fatal = trial.evaluator_error && !trial.was_refused_before &&
                          cannot_get_better(failure.http_status, failure.message);
    if (is_away || is_fatal) count_fatal(failure);
    if (judge_refusals_.take(refused_judgement(trial)) && judge_refusals_.count >= limit_)
        tell(fmt::format("all {} to {} {}", number_of_calls(judge_refusals_.count),
                         callee(failure.role), how(failure, judge_refusals_.count)));
    if (unreadable_.take(is_unreadable ? std::optional<std::int64_t>(0) : std::nullopt) &&
        unreadable_.count >= limit_)
        tell(fmt::format("all {} answers got replies of {} that cannot be read{}",
                         unreadable_.count, callee(failure.role), in_brackets(failure.message)));
}

void FailureStreak::observe_setback(const Setback& setback, async::TimePoint now) {
    const Failure failure{setback.role, setback.kind, setback.http_status, setback.message};
    // Who asks the judge has an answer of the model.
    if (setback.role == Setback::Role::judge) succeed(model_);
    if (is_hopeless(failure.kind, failure.http_status, failure.message))
        return count_fatal(failure);
    count_outage(failure, setback.attempts, now);
}

void FailureStreak::count_outage(const Failure& failure, std::uint64_t attempts,
                                 async::TimePoint now) {
    Calls& calls = calls_of(failure.role);
    if (!calls.first_setback) calls.first_setback = now;
    calls.setbacks += attempts;
    calls.is_throttled = calls.is_throttled || is_throttling(failure.kind, failure.http_status);
    if (!is_given_up(calls, now)) return;
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(longest_outage_).count();
    const std::string since =
        calls.has_succeeded ? fmt::format(" in the last {} minutes", minutes) : std::string();
    tell(fmt::format("{} calls to {} {}, and none succeeded{}", calls.setbacks,
                     callee(failure.role), how(failure, calls.setbacks), since));
}

bool FailureStreak::is_given_up(const Calls& calls, async::TimePoint now) const {
    const async::Duration early = calls.is_throttled ? kMinThrottling : kMinOutage;
    const async::Duration grace = calls.has_succeeded ? longest_outage_ : early;
    const async::Duration lasted = now - *calls.first_setback;
    if (lasted < grace) return false;
    if (calls.setbacks >= enough_setbacks()) return true;
    return !calls.has_succeeded && calls.setbacks >= kFewSetbacks &&
           lasted >= std::max<async::Duration>(grace, kPacedOutage);
}

std::uint64_t FailureStreak::enough_setbacks() const noexcept {
    return std::min(kMinSetbacks, kMinSetbacksEach * limit_);
}

void FailureStreak::succeed(Calls& calls) {
    calls = Calls{.has_succeeded = true};
}

void FailureStreak::count_fatal(const Failure& failure) {
    Calls& calls = calls_of(failure.role);
    ++calls.in_a_row;
    if (calls.in_a_row < limit_) return;
    const bool is_call = !is_run_refused(failure.kind, failure.message);
    const std::string_view thing = is_call ? "call" : "trial";
    tell(fmt::format("{} {}{}{} {}", calls.in_a_row, thing, calls.in_a_row == 1 ? "" : "s in a row",
                     is_call ? " to " + callee(failure.role) : "", how(failure, calls.in_a_row)));
}

std::string FailureStreak::callee(Setback::Role role) const {
    const bool is_model = role == Setback::Role::model;
    const std::string& who = is_model ? callees_.model : callees_.judge;
    std::string text = is_model ? "the model" : "the judge";
    if (!who.empty()) text += " (" + who + ")";
    return text;
}

std::string FailureStreak::how(const Failure& failure, std::uint64_t count) {
    const bool is_refused = failure.http_status && failure.kind != CallError::http_5xx &&
                            failure.kind != CallError::malformed_response;
    std::string text = is_refused ? fmt::format("{} refused with HTTP {}",
                                                count == 1 ? "was" : "were", *failure.http_status)
                                  : std::string("failed");
    return text + in_brackets(failure.message);
}

void FailureStreak::tell(const std::string& what) {
    if (limit_ == 0 || reason_) return;
    reason_ = "could not measure: " + what + "; mend it, then resume the run";
}

void FailureStreak::reset(std::optional<std::uint64_t> limit) {
    if (limit) limit_ = *limit;
    for (Calls* calls : {&model_, &judge_})
        *calls = Calls{.has_succeeded = calls->has_succeeded};
    refusals_ = {};
    judge_refusals_ = {};
    unreadable_ = {};
    reason_.reset();
}

}  // namespace evalfleet::runs
