#include "worker/trial/trial_runner.hpp"

#include "common/scoring/spending.hpp"
#include "worker/trial/rejudgement.hpp"
#include "worker/trial/setback_policy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kShortestChance{5};

TrialEnd end_of(const job::TrialRecord& record) {
    if (job::is_answered(record)) return TrialEnd::answered;
    return record.timed_out ? TrialEnd::timed_out : TrialEnd::failed;
}

bool has_succeeded(const job::TrialRecord& record) {
    return job::is_answered(record) && record.evaluator_error != job::EvaluatorError::call_error;
}

void enter_delivery(const queue::TakenJob& taken, job::TrialRecord& record) {
    if (taken.waited) record.timing.queue_wait_ms = static_cast<double>(taken.waited->count());
    record.setbacks = job::read_setback_counts(taken.past);
    record.deliveries =
        static_cast<std::int64_t>(taken.deliveries) + count_setbacks(record.setbacks);
}

/// Of a trial that was put back before. One that is late gets a permit if there is one.
std::optional<LastChance> last_chance(const job::SetbackCounts& setbacks, async::TimePoint latest,
                                      async::TimePoint now) {
    auto failure = failure_of(setbacks);
    if (!failure) return std::nullopt;
    return LastChance{std::max(latest, now + kShortestChance), *std::move(failure), std::nullopt};
}

/// Of the texts that may be long.
std::size_t text_bytes(const job::TrialRecord& record) {
    std::size_t bytes = 0;
    for (const auto* text : {&record.answer, &record.error_message, &record.rationale,
                             &record.evaluator_error_message, &record.evaluator_raw_output})
        bytes += *text ? (*text)->size() : 0;
    return bytes;
}

queue::Spent spent_by(const job::TrialRecord& record) {
    const scoring::Spending spending = scoring::spending_of(record);
    return {spending.nano_usd, spending.tokens};
}

}  // namespace

TrialRunner::TrialRunner(ModelCaller& caller, Judge& judge, async::Clock& clock,
                         async::BlockingPool& pool, WorkerMetrics& metrics, std::string environment)
    : caller_(caller),
      judge_(judge),
      clock_(clock),
      compute_(pool),
      metrics_(metrics),
      environment_(std::move(environment)) {}

asio::awaitable<Result<TrialResult>> TrialRunner::run(const RunContext& run, queue::TakenJob taken,
                                                      TrialListener& listener) {
    if (run.spec.rejudged_from) co_return co_await judge_again(run, std::move(taken), listener);
    const async::TimePoint first_attempt = clock_.now() - taken.age;
    // The pool needs values that can be made without arguments, hence the optional.
    auto prepare = [&] {
        return std::optional(prepare_trial(run, taken.ref.index, taken.payload));
    };
    auto prepared = *co_await compute_.run(taken.payload.size(), prepare);
    if (!prepared) co_return prepared.error();
    PreparedTrial& trial = *prepared;
    enter_delivery(taken, trial.record);
    trial.record.worker_environment = environment_;

    auto chance = last_chance(trial.record.setbacks, first_attempt + run.spec.limits.give_up_after,
                              clock_.now());
    const CallOutcome outcome =
        co_await caller_.call(std::move(trial.call), run.spec.limits, listener, std::move(chance));
    if (auto setback = put_back(run, taken, outcome, first_attempt))
        co_return TrialResult(*std::move(setback));
    if (outcome.reply) listener.on_answer();
    auto enter = [&] {
        enter_call(run, trial, outcome);
        if (!job::is_answered(trial.record)) return false;
        if (run.spec.labels) enter_label(trial);
        return !run.spec.labels.has_value();
    };
    if (co_await compute_.run(answer_bytes(outcome), enter))
        co_await judge_.evaluate(run, trial, listener);
    count_usage(trial.record, metrics_.provider(run.provider->name),
                metrics_.provider((run.judge_provider ? run.judge_provider : run.provider)->name));
    co_return TrialResult(co_await finish(run, trial));
}

asio::awaitable<FinishedTrial> TrialRunner::finish(const RunContext& run, PreparedTrial& trial) {
    auto write = [&] {
        return FinishedTrial{finish_record(run, trial.record), has_succeeded(trial.record),
                             spent_by(trial.record)};
    };
    metrics_.count(end_of(trial.record));
    co_return co_await compute_.run(text_bytes(trial.record), write);
}

/// None if the call's failure is to be recorded: it is the model's, or it has lasted for too long.
std::optional<queue::JobSetback> TrialRunner::put_back(const RunContext& run,
                                                       const queue::TakenJob& taken,
                                                       const CallOutcome& outcome,
                                                       async::TimePoint first_attempt) const {
    auto setback = setback_of(outcome, job::CallRole::model, run.provider->name);
    if (!setback) return std::nullopt;
    job::SetbackCounts counts = job::read_setback_counts(taken.past);
    std::int64_t& seen = counts[std::string(to_string(setback->kind))];
    if (is_of_sample(outcome, seen, first_attempt)) return std::nullopt;
    ++seen;
    const async::TimePoint now = clock_.now();
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - outcome.dispatched);
    const auto delay =
        setback_delay(count_setbacks(counts), outcome.retry_after, random_fraction());
    const async::Duration age = taken.past.empty() ? elapsed : now - first_attempt;
    if (age + delay >= run.spec.limits.give_up_after) return std::nullopt;
    setback->message = run.redactor.redact(setback->message).text;
    return queue::JobSetback{delay, elapsed, job::to_text(counts), job::to_json(*setback)};
}

asio::awaitable<Result<TrialResult>> TrialRunner::judge_again(const RunContext& run,
                                                              queue::TakenJob taken,
                                                              TrialListener& listener) {
    auto prepare = [&] {
        return std::optional(prepare_rejudgement(run, taken.ref.index, taken.payload));
    };
    auto prepared = *co_await compute_.run(taken.payload.size(), prepare);
    if (!prepared) co_return prepared.error();
    PreparedTrial& trial = *prepared;
    co_await judge_.evaluate(run, trial, listener);
    co_return TrialResult(co_await finish(run, trial));
}

}  // namespace evalfleet::worker
