#include "worker/judge/verdict.hpp"

#include "common/scoring/cost.hpp"
#include "common/scoring/evaluator_reply.hpp"
#include "common/scoring/evaluator_templates.hpp"

#include <cmath>
#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::int64_t kMaxJudgeCalls = 2;

void add_costs(const JudgeRequest& request, const CallOutcome& outcome, job::TrialRecord& record) {
    record.evaluator_attempts = record.evaluator_attempts.value_or(0) + 1;
    const double latency = record.evaluator_latency_ms.value_or(0) + outcome.latency_ms;
    record.evaluator_latency_ms = std::round(latency * 1e3) / 1e3;
    if (!outcome.reply) return;
    const Usage& usage = outcome.reply->usage;
    record.evaluator_input_tokens =
        record.evaluator_input_tokens.value_or(0) +
        usage.input_tokens.value_or(scoring::estimate_tokens(request.prompt_bytes));
    record.evaluator_output_tokens =
        record.evaluator_output_tokens.value_or(0) +
        usage.output_tokens.value_or(scoring::estimate_tokens(outcome.reply->answer));
}

}  // namespace

JudgeRequest make_judge_request(const RunContext& run, const job::Sample& sample,
                                const job::TrialRecord& record) {
    const job::JudgeSpec& judge = *run.spec.judge;
    std::string prompt = scoring::evaluator_prompt(
        judge.profile,
        {sample.task, sample.reference_answer, sample.context, record.answer.value_or("")});
    JudgeRequest request;
    request.prompt_bytes = prompt.size();
    ModelRequest model{judge.model.name,
                       judge.model.version,
                       {{job::MessageRole::user, std::move(prompt)}},
                       job::GenerationParams{}};
    request.request =
        run.judge_provider->protocol->make_request(run.judge_provider->endpoint, model);
    return request;
}

NextStep enter_verdict(const RunContext& run, const JudgeRequest& request,
                       const CallOutcome& outcome, job::TrialRecord& record) {
    add_costs(request, outcome, record);
    // An empty text is a reply, though none that can be read.
    if (!outcome.reply) {
        record.evaluator_error = job::EvaluatorError::call_error;
        return NextStep::done;
    }
    const job::JudgeSpec& judge = *run.spec.judge;
    const auto verdict =
        scoring::parse_evaluator_reply(outcome.reply->answer, judge.profile, judge.rationale_limit);
    if (verdict) {
        scoring::apply(*verdict, record);
        return NextStep::done;
    }
    if (*record.evaluator_attempts < kMaxJudgeCalls) return NextStep::ask_again;
    record.evaluator_error = job::EvaluatorError::parse_error;
    record.evaluator_raw_output = outcome.reply->answer;
    return NextStep::done;
}

}  // namespace evalfleet::worker
