#include "worker/trial/trial_steps.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/log/line.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/derive.hpp"
#include "common/scoring/format_checker.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace {

std::string render(const scoring::PromptTemplate& text, const job::Sample& sample) {
    return text.render(
        [&sample](std::string_view name) { return job::template_value(sample, name); });
}

job::TrialRecord identify(const RunContext& run, std::uint64_t index, const job::Sample& sample) {
    const auto repeats = static_cast<std::uint64_t>(run.spec.repeats);
    job::TrialRecord record;
    record.run_id = run.run_id;
    record.sample_id = sample.id;
    record.sample_index = static_cast<std::int64_t>(index / repeats);
    record.repeat = static_cast<std::int64_t>(index % repeats) + 1;
    record.task_type = sample.task_type;
    record.tags = sample.tags;
    return record;
}

void enter_reply(const ModelReply& reply, job::TrialRecord& record) {
    record.answer = reply.answer;
    record.finish_reason = reply.finish_reason;
    record.model_reported = reply.model_reported;
    record.latency_model_ms = reply.model_latency_ms;
    record.latency_model_source = reply.model_latency_source;
}

void enter_tokens(const ModelReply& reply, std::size_t prompt_bytes, job::TrialRecord& record) {
    const bool reported = reply.usage.input_tokens && reply.usage.output_tokens;
    record.cache_read_input_tokens = reply.usage.cache_read_tokens;
    record.cache_write_input_tokens = reply.usage.cache_write_tokens;
    record.tokens_source = reported ? job::TokensSource::provider : job::TokensSource::estimated;
    record.input_tokens = reply.usage.input_tokens.value_or(scoring::estimate_tokens(prompt_bytes));
    record.output_tokens =
        reply.usage.output_tokens.value_or(scoring::estimate_tokens(reply.answer));
}

void enter_cost(const Provider& provider, job::TrialRecord& record) {
    if (!provider.prices) return;
    record.estimated_cache_savings_usd = scoring::cache_savings_usd(
        *provider.prices, record.cache_read_input_tokens, record.cache_write_input_tokens);
    record.cost_usd =
        scoring::call_cost_usd(*provider.prices, record.input_tokens, record.output_tokens,
                               record.cache_read_input_tokens, record.cache_write_input_tokens);
}

void check_format(const job::Sample& sample, job::TrialRecord& record) {
    if (!sample.expected_format) return;
    const auto checker = scoring::FormatChecker::compile(*sample.expected_format);
    // The data set was validated; a format that cannot be checked here is met by no answer.
    record.format_check_passed = checker && checker->accepts(*record.answer);
}

void redact_in_place(const redaction::Redactor& redactor, std::string& text) {
    text = redactor.redact(text).text;
}

void redact_in_place(const redaction::Redactor& redactor, std::optional<std::string>& text) {
    if (text) redact_in_place(redactor, *text);
}

}  // namespace

std::vector<job::Message> make_messages(const RunContext& run, const job::Sample& sample) {
    std::vector<job::Message> messages;
    const bool has_system = std::any_of(
        sample.messages.begin(), sample.messages.end(),
        [](const job::Message& message) { return message.role == job::MessageRole::system; });
    if (run.system && !has_system) {
        messages.push_back({job::MessageRole::system, render(*run.system, sample)});
    }
    if (sample.messages.empty()) {
        messages.push_back({job::MessageRole::user, render(run.prompt, sample)});
    } else {
        messages.insert(messages.end(), sample.messages.begin(), sample.messages.end());
    }
    return messages;
}

Result<PreparedTrial> prepare_trial(const RunContext& run, std::uint64_t index,
                                    std::string_view payload) {
    const auto document = json::Document::parse(payload);
    if (!document) return document.error().within("the job's payload");
    const std::uint64_t line = index / static_cast<std::uint64_t>(run.spec.repeats) + 1;
    auto sample = job::read_sample(document->root(), line);
    if (!sample) return sample.error().within("the job's payload");

    PreparedTrial trial;
    trial.sample = *std::move(sample);
    trial.record = identify(run, index, trial.sample);
    const job::ModelRef& model = run.spec.models.front();
    ModelRequest request{model.name, model.version, make_messages(run, trial.sample),
                         run.spec.generation};
    for (const job::Message& message : request.messages)
        trial.prompt_bytes += message.content.size();
    trial.request = run.provider->protocol->make_request(run.provider->endpoint, request);
    return trial;
}

void enter_call(const RunContext& run, PreparedTrial& trial, const CallOutcome& outcome) {
    job::TrialRecord& record = trial.record;
    record.attempts = outcome.attempts;
    record.http_status = outcome.http_status;
    record.provider_request_id = outcome.request_id;
    record.latency_e2e_ms = outcome.latency_ms;
    record.started_at_utc = log::format_utc(outcome.started);
    if (outcome.reply) enter_reply(*outcome.reply, record);
    if (outcome.failure) {
        record.error_kind = outcome.failure->kind;
        record.error_message = outcome.failure->message;
        record.timed_out = outcome.failure->timed_out;
    }
    if (!job::is_answered(record)) return;
    enter_tokens(*outcome.reply, trial.prompt_bytes, record);
    enter_cost(*run.provider, record);
    check_format(trial.sample, record);
}

void redact(const RunContext& run, job::TrialRecord& record) {
    for (auto* text :
         {&record.answer, &record.error_message, &record.rationale, &record.evaluator_raw_output}) {
        redact_in_place(run.redactor, *text);
    }
    for (auto* name : {&record.sample_id, &record.finish_reason, &record.model_reported,
                       &record.provider_request_id}) {
        redact_in_place(run.secrets_only, *name);
    }
    redact_in_place(run.secrets_only, record.task_type);
    for (auto& [key, value] : record.tags)
        redact_in_place(run.secrets_only, value);
}

std::string finish_record(const RunContext& run, job::TrialRecord& record) {
    scoring::derive(record, run.spec.policy);
    redact(run, record);
    return job::to_json(record);
}

}  // namespace evalfleet::worker
