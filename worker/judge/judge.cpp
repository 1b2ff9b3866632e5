#include "worker/judge/judge.hpp"

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

VerdictEnd end_of(const job::TrialRecord& record) {
    if (!record.evaluator_error) return VerdictEnd::answered;
    return *record.evaluator_error == job::EvaluatorError::parse_error ? VerdictEnd::parse_error
                                                                       : VerdictEnd::call_error;
}

}  // namespace

Judge::Judge(ModelCaller& caller, async::BlockingPool& pool, WorkerMetrics& metrics)
    : caller_(caller), pool_(pool), metrics_(metrics) {}

asio::awaitable<void> Judge::evaluate(const RunContext& run, PreparedTrial& trial) {
    auto make = [&] { return make_judge_request(run, trial.sample, trial.record); };
    const JudgeRequest request = co_await pool_.run(make);
    NextStep next = NextStep::ask_again;
    while (next == NextStep::ask_again) {
        const CallOutcome outcome = co_await caller_.call(request.call, run.spec.limits);
        auto enter = [&] { return enter_verdict(run, request, outcome, trial.record); };
        next = co_await pool_.run(enter);
    }
    metrics_.count(end_of(trial.record));
}

}  // namespace evalfleet::worker
