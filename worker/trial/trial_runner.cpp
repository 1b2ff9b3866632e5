#include "worker/trial/trial_runner.hpp"

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

}  // namespace

TrialRunner::TrialRunner(ModelCaller& caller, Judge& judge, async::BlockingPool& pool,
                         WorkerMetrics& metrics)
    : caller_(caller), judge_(judge), pool_(pool), metrics_(metrics) {}

asio::awaitable<Result<FinishedTrial>> TrialRunner::run(const RunContext& run, std::uint64_t index,
                                                        std::string payload) {
    // The pool needs values that can be made without arguments, hence the optional.
    auto prepare = [&] { return std::optional(prepare_trial(run, index, payload)); };
    auto prepared = *co_await pool_.run(prepare);
    if (!prepared) co_return prepared.error();
    PreparedTrial& trial = *prepared;

    const RawCall raw =
        co_await caller_.call(*run.provider, std::move(trial.request), run.spec.limits);
    auto enter = [&] {
        enter_call(run, trial, interpret(*run.provider->protocol, raw));
        return job::is_answered(trial.record);
    };
    if (co_await pool_.run(enter)) co_await judge_.evaluate(run, trial);

    auto finish = [&] {
        return FinishedTrial{finish_record(run, trial.record), has_succeeded(trial.record)};
    };
    metrics_.count(end_of(trial.record));
    count_usage(trial.record, metrics_.provider(run.provider->name),
                metrics_.provider(run.judge_provider->name));
    co_return co_await pool_.run(finish);
}

}  // namespace evalfleet::worker
