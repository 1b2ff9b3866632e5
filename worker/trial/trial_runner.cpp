#include "worker/trial/trial_runner.hpp"

#include "common/scoring/spending.hpp"
#include "worker/trial/rejudgement.hpp"

#include <optional>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

TrialEnd end_of(const job::TrialRecord& record) {
    if (job::is_answered(record)) return TrialEnd::answered;
    return record.timed_out ? TrialEnd::timed_out : TrialEnd::failed;
}

bool has_succeeded(const job::TrialRecord& record) {
    return job::is_answered(record) && record.evaluator_error != job::EvaluatorError::call_error;
}

void enter_queue_wait(const queue::TakenJob& taken, job::TrialRecord& record) {
    if (taken.waited) record.timing.queue_wait_ms = static_cast<double>(taken.waited->count());
}

queue::Spent spent_by(const job::TrialRecord& record) {
    const scoring::Spending spending = scoring::spending_of(record);
    return {spending.nano_usd, spending.tokens};
}

}  // namespace

TrialRunner::TrialRunner(ModelCaller& caller, Judge& judge, async::BlockingPool& pool,
                         WorkerMetrics& metrics)
    : caller_(caller), judge_(judge), pool_(pool), metrics_(metrics) {}

asio::awaitable<Result<FinishedTrial>> TrialRunner::run(const RunContext& run,
                                                        queue::TakenJob taken) {
    if (run.spec.rejudged_from) co_return co_await judge_again(run, std::move(taken));
    // The pool needs values that can be made without arguments, hence the optional.
    auto prepare = [&] {
        return std::optional(prepare_trial(run, taken.ref.index, taken.payload));
    };
    auto prepared = *co_await pool_.run(prepare);
    if (!prepared) co_return prepared.error();
    PreparedTrial& trial = *prepared;
    enter_queue_wait(taken, trial.record);

    const CallOutcome outcome = co_await caller_.call(std::move(trial.call), run.spec.limits);
    auto enter = [&] {
        enter_call(run, trial, outcome);
        if (!job::is_answered(trial.record)) return false;
        if (run.spec.labels) enter_label(trial);
        return !run.spec.labels.has_value();
    };
    if (co_await pool_.run(enter)) co_await judge_.evaluate(run, trial);

    auto finish = [&] {
        return FinishedTrial{finish_record(run, trial.record), has_succeeded(trial.record),
                             spent_by(trial.record)};
    };
    metrics_.count(end_of(trial.record));
    count_usage(trial.record, metrics_.provider(run.provider->name),
                metrics_.provider((run.judge_provider ? run.judge_provider : run.provider)->name));
    co_return co_await pool_.run(finish);
}

asio::awaitable<Result<FinishedTrial>> TrialRunner::judge_again(const RunContext& run,
                                                                queue::TakenJob taken) {
    auto prepare = [&] {
        return std::optional(prepare_rejudgement(run, taken.ref.index, taken.payload));
    };
    auto prepared = *co_await pool_.run(prepare);
    if (!prepared) co_return prepared.error();
    PreparedTrial& trial = *prepared;
    co_await judge_.evaluate(run, trial);
    auto finish = [&] {
        return FinishedTrial{finish_record(run, trial.record), has_succeeded(trial.record),
                             spent_by(trial.record)};
    };
    metrics_.count(end_of(trial.record));
    co_return co_await pool_.run(finish);
}

}  // namespace evalfleet::worker
