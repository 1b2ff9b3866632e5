#include "worker/judge/verdict.hpp"

#include "common/redaction/known_secrets.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/evaluator_reply.hpp"
#include "common/scoring/evaluator_templates.hpp"
#include "worker/trial/prompt_cut.hpp"

#include <cmath>
#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::int64_t kMaxJudgeCalls = 2;

template <class Number>
void add_to(std::optional<Number>& sum, const std::optional<Number>& more) {
    if (more) sum = sum.value_or(0) + *more;
}

/// What was counted was billed, with a verdict or without; of a verdict, what was not counted is
/// estimated.
void add_counts(const RunContext& run, const Usage& usage, job::TrialRecord& record) {
    add_to(record.evaluator_input_tokens, usage.input_tokens);
    add_to(record.evaluator_output_tokens, usage.output_tokens);
    add_to(record.evaluator_reasoning_tokens, usage.reasoning_tokens);
    add_to(record.evaluator_cache_read_input_tokens, usage.cache_read_tokens);
    add_to(record.evaluator_cache_write_input_tokens, usage.cache_write_tokens);
    if (const auto* prices = run.judge_provider->prices_of(run.spec.judge->model))
        add_to(record.evaluator_cost_usd, usage_cost_usd(*prices, usage));
}

void add_usage(const RunContext& run, std::size_t prompt_bytes, const CallOutcome& outcome,
               job::TrialRecord& record) {
    Usage usage = outcome.usage;
    if (outcome.reply && !usage.input_tokens)
        usage.input_tokens = scoring::estimate_tokens(prompt_bytes);
    if (outcome.reply && !usage.output_tokens)
        usage.output_tokens = scoring::estimate_tokens(outcome.reply->answer);
    add_counts(run, usage, record);
    add_counts(run, outcome.failed_usage, record);
}

void add_costs(const RunContext& run, const JudgeRequest& request, const CallOutcome& outcome,
               job::TrialRecord& record) {
    record.evaluator_attempts = record.evaluator_attempts.value_or(0) + 1;
    for (const auto& [kind, count] : outcome.failed_attempts)
        record.evaluator_failed_attempts[kind] += count;
    const double latency = record.evaluator_latency_ms.value_or(0) + outcome.timing.e2e_ms;
    record.evaluator_latency_ms = std::round(latency * 1e3) / 1e3;
    record.timing.judge_ms = record.evaluator_latency_ms;
    add_usage(run, request.prompt_bytes, outcome, record);
    if (outcome.reply) record.evaluator_model_reported = outcome.reply->model_reported;
    record.evaluator_finish_reason = outcome.finish_reason;
    record.evaluator_refused_parameters = outcome.refused_parameters;
}

/// Why a reply cannot be read. One that was cut off needs more tokens, not another prompt.
std::string fault_of(const scoring::ReplyError& error, const CallOutcome& outcome) {
    if (outcome.failure) return outcome.failure->message;
    if (outcome.finish_reason != "length") return error.message();
    return error.message() + ": it was cut off at max_tokens; raise judge.generation.max_tokens";
}

/// JSON is asked for wherever it can be, but nobody insists on it.
bool may_drop_format(const job::JudgeSpec& judge) {
    return judge.response_format == job::JudgeFormat::automatic &&
           !judge.generation.response_format;
}

/// A sample that is no chat is judged by the same words in either profile: its conversation is its
/// task.
job::EvaluatorProfile template_for(job::EvaluatorProfile profile, const job::Sample& sample) {
    if (!sample.messages.empty() || !job::shows_conversation(profile)) return profile;
    return job::has_rubric_scores(profile) ? job::EvaluatorProfile::rubric_v1
                                           : job::EvaluatorProfile::spec_v1;
}

}  // namespace

JudgeRequest make_judge_request(const RunContext& run, const job::Sample& sample,
                                const job::TrialRecord& record) {
    const job::JudgeSpec& judge = *run.spec.judge;
    const job::EvaluatorProfile profile = template_for(judge.profile, sample);
    const std::string conversation =
        job::shows_conversation(profile) ? job::conversation_of(sample) : "";
    const std::string answer = record.answer.value_or("");
    std::string prompt = scoring::evaluator_prompt(
        profile, {sample.task, sample.reference_answer, sample.context, answer, conversation});
    // A model may have echoed the key that it was called with.
    prompt = redaction::hide_known_secrets(prompt, *run.own_secrets);
    const std::size_t constant = scoring::evaluator_template(profile).constant_bytes();
    JudgeRequest request;
    request.prompt_bytes = prompt.size();
    request.call = ModelCall::make(*run.judge_provider,
                                   {.model = judge.model.name,
                                    .version = judge.model.version,
                                    .messages = {{job::MessageRole::user, std::move(prompt)}},
                                    .generation = job::generation_of_judge(judge),
                                    .may_drop_format = may_drop_format(judge),
                                    .constant_bytes = {constant}});
    request.call.purpose = CallPurpose::verdict;
    return request;
}

void enter_setback(const RunContext& run, const CallOutcome& outcome, job::TrialRecord& record) {
    add_counts(run, outcome.usage, record);
    add_counts(run, outcome.failed_usage, record);
}

NextStep enter_verdict(const RunContext& run, const JudgeRequest& request,
                       const CallOutcome& outcome, job::TrialRecord& record) {
    add_costs(run, request, outcome, record);
    if (request.call.provider != nullptr &&
        was_prompt_cut(*request.call.provider, request.call.question, outcome))
        record.prompt_cut = true;
    // An empty text is a reply, though none that can be read.
    if (!outcome.reply) {
        record.evaluator_error = job::EvaluatorError::call_error;
        record.evaluator_http_status = outcome.http_status;
        if (outcome.failure) record.evaluator_error_message = outcome.failure->message;
        return NextStep::done;
    }
    const job::JudgeSpec& judge = *run.spec.judge;
    const auto verdict =
        scoring::parse_evaluator_reply(outcome.reply->answer, judge.profile, judge.rationale_limit);
    if (verdict) {
        scoring::apply(*verdict, record);
        return NextStep::done;
    }
    record.evaluator_reply_faults.push_back(fault_of(verdict.error(), outcome));
    if (*record.evaluator_attempts < kMaxJudgeCalls) return NextStep::ask_again;
    record.evaluator_error = job::EvaluatorError::parse_error;
    record.evaluator_error_message = record.evaluator_reply_faults.back();
    record.evaluator_raw_output = outcome.reply->answer;
    return NextStep::done;
}

}  // namespace evalfleet::worker
