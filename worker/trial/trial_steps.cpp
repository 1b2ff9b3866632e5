#include "worker/trial/trial_steps.hpp"

#include "common/disclosure/record.hpp"
#include "common/job/image.hpp"
#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/log/line.hpp"
#include "common/redaction/known_secrets.hpp"
#include "common/scoring/chat_prompt.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/derive.hpp"
#include "common/scoring/format_checker.hpp"
#include "worker/trial/prompt_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace {

job::TrialIndex trial_of(const RunContext& run, std::uint64_t index) {
    return job::TrialIndex::of(index, static_cast<std::uint64_t>(run.spec.repeats));
}

job::TrialRecord identify(const RunContext& run, std::uint64_t index, const job::Sample& sample) {
    job::TrialRecord record;
    record.run_id = run.run_id;
    record.sample_id = sample.id;
    trial_of(run, index).enter(record);
    record.task_type = sample.task_type;
    record.tags = sample.tags;
    return record;
}

void enter_timing(const CallTiming& timing, job::TrialRecord& record) {
    record.latency_e2e_ms = timing.e2e_ms;
    record.latency_first_token_ms = timing.first_token_ms;
    record.timing_error_bound_ms = timing.error_bound_ms;
    record.timing.permit_wait_ms = timing.permit_wait_ms;
    record.timing.retry_wait_ms = timing.retry_wait_ms;
    record.timing.connect_ms = timing.connect_ms;
    record.timing.first_byte_ms = timing.first_byte_ms;
    record.timing.round_trip_ms = timing.round_trip_ms;
    record.timing.model_ms = timing.response_ms;
}

void enter_parameters(const RunContext& run, const CallOutcome& outcome, job::TrialRecord& record) {
    const auto& refused = outcome.refused_parameters;
    record.refused_parameters = refused;
    if (!run.spec.generation.seed) return;
    record.seed_supported = std::find(refused.begin(), refused.end(), "seed") == refused.end();
}

/// An answer that was begun for the model is the whole turn.
void enter_reply(const ModelReply& reply, std::string_view prefill, const CallTiming& timing,
                 job::TrialRecord& record) {
    record.answer = reply.answer.empty() ? "" : std::string(prefill) + reply.answer;
    record.model_reported = reply.model_reported;
    record.system_fingerprint = reply.system_fingerprint;
    const ModelLatency latency = choose_latency(reply, timing);
    record.latency_model_ms = latency.ms;
    record.latency_model_source = latency.source;
}

/// What was counted was paid for, even if nothing usable came of it.
void enter_usage(const Usage& usage, job::TrialRecord& record) {
    record.input_tokens = usage.input_tokens;
    record.output_tokens = usage.output_tokens;
    record.reasoning_tokens = usage.reasoning_tokens;
    record.cache_read_input_tokens = usage.cache_read_tokens;
    record.cache_write_input_tokens = usage.cache_write_tokens;
    if (usage != Usage{}) record.tokens_source = job::TokensSource::provider;
}

/// An answer has tokens on both sides; a side that nobody counted is estimated.
void estimate_tokens(std::size_t prompt_bytes, job::TrialRecord& record) {
    if (record.input_tokens && record.output_tokens) return;
    record.tokens_source = job::TokensSource::estimated;
    if (!record.input_tokens) record.input_tokens = scoring::estimate_tokens(prompt_bytes);
    if (!record.output_tokens) record.output_tokens = scoring::estimate_tokens(*record.answer);
}

/// Attempts that failed were paid for as far as they were counted.
void enter_prices(const scoring::Prices* prices, const Usage& failed, job::TrialRecord& record) {
    if (prices == nullptr) return;
    record.estimated_cache_savings_usd = scoring::cache_savings_usd(
        *prices, record.cache_read_input_tokens, record.cache_write_input_tokens);
    record.cost_usd = scoring::call_cost_usd(
        *prices, record.input_tokens, record.output_tokens, record.cache_read_input_tokens,
        record.cache_write_input_tokens, record.reasoning_tokens);
    if (const auto cost = usage_cost_usd(*prices, failed))
        record.cost_usd = record.cost_usd.value_or(0) + *cost;
}

void check_format(const job::Sample& sample, job::TrialRecord& record) {
    if (!sample.expected_format) return;
    const auto checker = scoring::FormatChecker::compile(*sample.expected_format);
    // The data set was validated; a format that cannot be checked here is met by no answer.
    record.format_check_passed = checker && checker->accepts(*record.answer);
}

std::size_t prompt_bytes_of(const std::vector<job::Message>& messages) {
    std::size_t bytes = 0;
    for (const job::Message& message : messages) {
        bytes += message.content.size();
        for (const job::ContentPart& part : message.parts)
            if (part.image) bytes += job::kImageTokens * scoring::kBytesPerToken;
    }
    return bytes;
}

/// The labels that the coordinator put beside the sample.
Status read_labels(json::Value payload, std::vector<scoring::ManualLabel>& labels) {
    const auto member = payload.find(scoring::kLabelsMember);
    if (!member) return {};
    const auto items = member->as_array();
    if (!items) return items.error();
    for (const json::Value item : *items) {
        auto label = scoring::read_manual_label(item);
        if (!label) return label.error();
        labels.push_back(*std::move(label));
    }
    return {};
}

}  // namespace

std::optional<double> usage_cost_usd(const scoring::Prices& prices, const Usage& usage) {
    if (!usage.input_tokens && !usage.output_tokens) return std::nullopt;
    return scoring::call_cost_usd(prices, usage.input_tokens.value_or(0),
                                  usage.output_tokens.value_or(0), usage.cache_read_tokens,
                                  usage.cache_write_tokens, usage.reasoning_tokens);
}

ModelLatency choose_latency(const ModelReply& reply, const CallTiming& timing) {
    const auto is_credible = [&timing](const std::optional<double>& ms) {
        return ms && *ms >= 0 && *ms <= timing.e2e_ms;  // which NaN is not
    };
    if (is_credible(reply.provider_time_ms))
        return {reply.provider_time_ms, job::LatencySource::provider_reported};
    if (is_credible(reply.server_timing_ms))
        return {reply.server_timing_ms, job::LatencySource::server_timing};
    if (timing.wire_ms) return {timing.wire_ms, job::LatencySource::wire_estimate};
    return {};
}

std::vector<job::Message> make_messages(const RunContext& run, const job::Sample& sample) {
    return scoring::render_chat(run.system, run.prompt, sample);
}

std::vector<std::size_t> constant_bytes(const RunContext& run, const job::Sample& sample,
                                        std::size_t messages) {
    // Only what the run itself puts in front of a chat is the same for all samples.
    const std::size_t own = sample.messages.empty() ? 1 : 0;
    const bool has_system = messages > std::max<std::size_t>(sample.messages.size(), own);
    std::vector<std::size_t> constant;
    if (has_system) constant.push_back(run.system->constant_bytes());
    if (own > 0) constant.push_back(run.prompt.constant_bytes());
    return constant;
}

Result<PreparedTrial> prepare_trial(const RunContext& run, std::uint64_t index,
                                    std::string_view payload) {
    const auto document = json::Document::parse(payload);
    if (!document) return document.error().within("the job's payload");
    const std::uint64_t line = trial_of(run, index).sample_index + 1;
    auto sample = job::read_sample(document->root(), line);
    if (!sample) return sample.error().within("the job's payload");

    if (job::has_image_files(*sample))
        return Error{ErrorKind::invalid, "the job's payload: has pictures that are not embedded"};
    PreparedTrial trial;
    trial.sample = *std::move(sample);
    if (run.spec.labels) {
        if (Status read = read_labels(document->root(), trial.labels); !read)
            return read.error().within("the job's payload");
    }
    trial.record = identify(run, index, trial.sample);
    const job::ModelRef& model = run.spec.models.front();
    ModelRequest question{.model = model.name,
                          .version = model.version,
                          .messages = make_messages(run, trial.sample),
                          .generation = run.spec.generation};
    question.constant_bytes = constant_bytes(run, trial.sample, question.messages.size());
    trial.prompt_bytes = prompt_bytes_of(question.messages);
    trial.call = ModelCall::make(*run.provider, std::move(question));
    return trial;
}

void enter_call(const RunContext& run, PreparedTrial& trial, const CallOutcome& outcome) {
    job::TrialRecord& record = trial.record;
    record.attempts = outcome.attempts;
    record.failed_attempts = outcome.failed_attempts;
    record.http_status = outcome.http_status;
    record.provider_request_id = outcome.request_id;
    record.finish_reason = outcome.finish_reason;
    record.started_at_utc = log::format_utc(outcome.started);
    enter_parameters(run, outcome, record);
    enter_timing(outcome.timing, record);
    if (outcome.reply)
        enter_reply(*outcome.reply, job::prefill_of(trial.sample), outcome.timing, record);
    if (outcome.failure) {
        record.error_kind = outcome.failure->kind;
        record.error_message = outcome.failure->message;
        record.timed_out = outcome.failure->timed_out;
    }
    enter_usage(outcome.usage, record);
    record.prompt_cut = was_prompt_cut(*run.provider, trial.call.question, outcome);
    const bool is_answered = job::is_answered(record);
    if (is_answered) estimate_tokens(trial.prompt_bytes, record);
    record.failed_attempts_input_tokens = outcome.failed_usage.input_tokens;
    record.failed_attempts_output_tokens = outcome.failed_usage.output_tokens;
    enter_prices(run.provider->prices_of(run.spec.models.front()), outcome.failed_usage, record);
    if (is_answered) check_format(trial.sample, record);
}

void enter_label(PreparedTrial& trial) {
    scoring::apply(scoring::find_label(trial.labels, trial.record.repeat), trial.record);
}

void redact(const RunContext& run, job::TrialRecord& record) {
    disclosure::redact(run.redactor, record);
}

std::string place_of(const job::TrialRecord& record) {
    return fmt::format("answer {} {} {}", record.sample_index, record.repeat,
                       record.answer.value_or(""));
}

std::string finish_record(const RunContext& run, job::TrialRecord& record) {
    scoring::derive(record, run.spec.policy);
    std::optional<std::string> said = run.originals ? record.answer : std::nullopt;
    // Our keys are nothing that a model said, and the next judge is somebody else's.
    if (said) said = redaction::hide_known_secrets(*said, *run.own_secrets);
    redact(run, record);
    const bool has_room = said && said->size() <= sealing::SealingKey::kMaxTextBytes;
    if (has_room && *said != *record.answer)
        record.answer_original = run.originals->seal(*said, place_of(record));
    return job::to_json(record);
}

}  // namespace evalfleet::worker
