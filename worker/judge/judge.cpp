#include "worker/judge/judge.hpp"

#include "worker/trial/setback_policy.hpp"

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

VerdictEnd end_of(const job::TrialRecord& record) {
    if (!record.evaluator_error) return VerdictEnd::answered;
    return *record.evaluator_error == job::EvaluatorError::parse_error ? VerdictEnd::parse_error
                                                                       : VerdictEnd::call_error;
}

std::size_t judged_bytes(const PreparedTrial& trial) {
    return trial.prompt_bytes + (trial.record.answer ? trial.record.answer->size() : 0);
}

}  // namespace

Judge::Judge(ModelCaller& caller, async::Clock& clock, async::BlockingPool& pool,
             WorkerMetrics& metrics)
    : caller_(caller), clock_(clock), compute_(pool), metrics_(metrics) {}

asio::awaitable<void> Judge::evaluate(const RunContext& run, PreparedTrial& trial,
                                      TrialListener& listener) {
    auto make = [&] { return make_judge_request(run, trial.sample, trial.record); };
    const JudgeRequest request = co_await compute_.run(judged_bytes(trial), make);
    NextStep next = NextStep::ask_again;
    while (next == NextStep::ask_again) {
        const CallOutcome outcome = co_await call(run, request, trial, listener);
        auto enter = [&] { return enter_verdict(run, request, outcome, trial.record); };
        next = co_await compute_.run(answer_bytes(outcome), enter);
    }
    metrics_.count(end_of(trial.record));
}

asio::awaitable<CallOutcome> Judge::call(const RunContext& run, const JudgeRequest& request,
                                         PreparedTrial& trial, TrialListener& listener) {
    const job::CallLimits limits = job::limits_of_judge(run.spec.limits, run.spec.judge->limits);
    std::optional<async::TimePoint> first;
    std::optional<LastChance> chance;
    for (std::int64_t count = 1;; ++count) {
        CallOutcome outcome = co_await caller_.call(request.call, limits, listener, chance);
        auto setback = setback_of(outcome, job::CallRole::judge, run.judge_provider->name);
        if (!setback) co_return outcome;
        if (!first) first = outcome.dispatched;
        if (is_of_sample(outcome, count - 1, *first)) co_return outcome;
        const async::TimePoint again =
            clock_.now() + setback_delay(count, outcome.retry_after, random_fraction());
        const async::TimePoint latest = *first + limits.give_up_after;
        if (again >= latest) co_return outcome;
        chance = LastChance{latest, *outcome.failure, outcome.http_status};
        enter_setback(run, outcome, trial.record);
        ++trial.record.setbacks[std::string(to_string(setback->kind))];
        setback->message = run.redactor.redact(setback->message).text;
        co_await listener.on_setback(*std::move(setback));
        const WaitScope waiting(listener, CallListener::Wait::backoff);
        co_await clock_.wait_until(again);
    }
}

}  // namespace evalfleet::worker
