#include "worker/trial/trial_steps.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/scoring/spending.hpp"
#include "tests/unit/worker/fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace evalfleet::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSample =
    R"({"id": "q1", "task": "Why?", "context": "Sky", "task_type": "qa", "tags": {"lang": "en"}})";

CallOutcome answered(std::string answer, Usage usage = {}) {
    CallOutcome outcome;
    outcome.reply.emplace();
    outcome.reply->answer = std::move(answer);
    outcome.reply->usage = outcome.usage = usage;
    outcome.finish_reason = "stop";
    outcome.reply->model_reported = "m-1";
    outcome.request_id = "req_1";
    outcome.attempts = 2;
    outcome.http_status = 200;
    outcome.timing.e2e_ms = 812.25;
    outcome.started = std::chrono::system_clock::time_point(std::chrono::milliseconds(1500));
    return outcome;
}

CallOutcome failed(job::CallError kind, bool timed_out = false) {
    CallOutcome outcome;
    outcome.failure = {kind, "why", timed_out};
    outcome.attempts = 1;
    outcome.timing.e2e_ms = 5;
    return outcome;
}

PreparedTrial entered(const RunContext& run, const CallOutcome& outcome,
                      std::string_view sample = kSample) {
    PreparedTrial trial = prepare_trial(run, 4, sample).value();
    enter_call(run, trial, outcome);
    return trial;
}

TEST(TrialSteps, PutsTheTrialInItsPlace) {
    const TestRun run;
    const PreparedTrial trial = prepare_trial(run.context, 4, kSample).value();
    EXPECT_EQ(trial.record.run_id, "r1");
    EXPECT_EQ(trial.record.sample_id, "q1");
    EXPECT_EQ(trial.record.sample_index, 1);
    EXPECT_EQ(trial.record.repeat, 2);
    EXPECT_EQ(trial.record.task_type, "qa");
    EXPECT_EQ(trial.record.tags, (job::Tags{{"lang", "en"}}));
}

TEST(TrialSteps, NumbersASampleWithoutIdByItsLine) {
    EXPECT_EQ(prepare_trial(TestRun().context, 4, R"({"task": "t"})")->record.sample_id, "2");
}

TEST(TrialSteps, RendersSystemPromptAndTemplate) {
    const TestRun run;
    const PreparedTrial trial = prepare_trial(run.context, 0, kSample).value();
    EXPECT_EQ(make_messages(run.context, trial.sample),
              (std::vector<job::Message>{{job::MessageRole::system, "Be qa."},
                                         {job::MessageRole::user, "Sky|Why?"}}));
    EXPECT_EQ(trial.prompt_bytes, 6U + 8U);
    EXPECT_THAT(trial.call.request.http.body, HasSubstr("Sky|Why?"));
    EXPECT_EQ(trial.call.request.http.url.target, "/v1/chat/completions");
}

TEST(TrialSteps, SendsAChatAsItIs) {
    const TestRun run;
    const auto chat = prepare_trial(run.context, 0, R"({"messages": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
        {"role": "user", "content": "{{task}}"}]})");
    const auto messages = make_messages(run.context, chat->sample);
    ASSERT_EQ(messages.size(), 4U);
    EXPECT_EQ(messages[0].role, job::MessageRole::system);
    EXPECT_EQ(messages[3].content, "{{task}}");
    const auto own = prepare_trial(run.context, 0, R"({"messages": [
        {"role": "system", "content": "mine"}, {"role": "user", "content": "a"}]})");
    EXPECT_EQ(make_messages(run.context, own->sample), own->sample.messages);
}

TEST(TrialSteps, RefusesAPayloadThatIsNoSample) {
    for (const char* payload : {"", "{", "[]", "{}", R"({"task": 5})"}) {
        const auto trial = prepare_trial(TestRun().context, 0, payload);
        ASSERT_FALSE(trial) << payload;
        EXPECT_THAT(trial.error().message, HasSubstr("payload"));
    }
}

TEST(TrialSteps, EntersAnAnswerWithReportedTokensAndCost) {
    const TestRun run;
    const job::TrialRecord record =
        entered(run.context, answered("Light.", {1000, 100, 400, std::nullopt})).record;
    EXPECT_EQ(record.answer, "Light.");
    EXPECT_EQ(record.finish_reason, "stop");
    EXPECT_EQ(record.model_reported, "m-1");
    EXPECT_EQ(record.provider_request_id, "req_1");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.error_kind, std::nullopt);
    EXPECT_EQ(record.latency_e2e_ms, 812.25);
    EXPECT_EQ(record.started_at_utc, "1970-01-01T00:00:01.500Z");
    EXPECT_EQ(record.tokens_source, job::TokensSource::provider);
    EXPECT_EQ(record.input_tokens, 1000);
    EXPECT_EQ(record.output_tokens, 100);
    EXPECT_EQ(record.cache_read_input_tokens, 400);
    EXPECT_DOUBLE_EQ(*record.estimated_cache_savings_usd, 2e-6 * 400 * 0.5);
    EXPECT_DOUBLE_EQ(*record.cost_usd, 1000 * 2e-6 + 100 * 10e-6 - 2e-6 * 400 * 0.5);
}

TEST(TrialSteps, EstimatesTokensThatWereNotReported) {
    const job::TrialRecord record = entered(TestRun().context, answered("Light")).record;
    EXPECT_EQ(record.tokens_source, job::TokensSource::estimated);
    EXPECT_EQ(record.input_tokens, 4);  // 14 bytes
    EXPECT_EQ(record.output_tokens, 2);
    EXPECT_EQ(record.cache_read_input_tokens, std::nullopt);
}

TEST(TrialSteps, KeepsTheUsageOfAnEmptyAnswerSinceItWasBilled) {
    const TestRun run;
    CallOutcome outcome = answered("", {10, 1024, 3, std::nullopt, 1024});
    outcome.finish_reason = "length";
    outcome.failure = {job::CallError::empty_response, "no text", false};
    job::TrialRecord record = entered(run.context, outcome).record;
    static_cast<void>(finish_record(run.context, record));
    EXPECT_EQ(record.error_kind, job::CallError::empty_response);
    EXPECT_EQ(record.finish_reason, "length");
    EXPECT_EQ(record.input_tokens, 10);
    EXPECT_EQ(record.output_tokens, 1024);
    EXPECT_EQ(record.reasoning_tokens, 1024);
    EXPECT_EQ(record.total_tokens, 1034);
    EXPECT_EQ(record.tokens_source, job::TokensSource::provider);
    EXPECT_EQ(record.cache_read_input_tokens, 3);
    EXPECT_DOUBLE_EQ(*record.cost_usd, 10 * 2e-6 + 1024 * 10e-6 - 3 * 2e-6 * 0.5);
    EXPECT_DOUBLE_EQ(*record.estimated_cache_savings_usd, 3 * 2e-6 * 0.5);
    EXPECT_EQ(scoring::spending_of(record).tokens, 1034U);
    EXPECT_EQ(record.sample_score, 0.0);
}

TEST(TrialSteps, EstimatesNothingOfATrialWithoutAnAnswer) {
    CallOutcome outcome = answered("");
    outcome.failure = {job::CallError::empty_response, "no text", false};
    const job::TrialRecord record = entered(TestRun().context, outcome).record;
    EXPECT_FALSE(record.input_tokens || record.output_tokens || record.tokens_source);
    EXPECT_FALSE(record.cost_usd || record.reasoning_tokens);
}

TEST(TrialSteps, KeepsWhatABrokenStreamCounted) {
    CallOutcome outcome = failed(job::CallError::timeout, true);
    outcome.usage = {10, 7, {}, {}};
    const job::TrialRecord record = entered(TestRun().context, outcome).record;
    EXPECT_EQ(record.input_tokens, 10);
    EXPECT_EQ(record.output_tokens, 7);
    EXPECT_DOUBLE_EQ(*record.cost_usd, 10 * 2e-6 + 7 * 10e-6);
}

ModelLatency choose(std::optional<double> provider, std::optional<double> edge,
                    std::optional<double> wire) {
    ModelReply reply;
    reply.provider_time_ms = provider;
    reply.server_timing_ms = edge;
    CallTiming timing;
    timing.e2e_ms = 100;
    timing.wire_ms = wire;
    return choose_latency(reply, timing);
}

TEST(TrialSteps, BelievesAReportedLatencyUpToThatOfTheWholeCall) {
    EXPECT_EQ(choose(100, 50, 90).ms, 100);
    EXPECT_EQ(choose(100, 50, 90).source, job::LatencySource::provider_reported);
    EXPECT_EQ(choose(0, 50, 90).ms, 0);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const double wrong : {100.001, -1.0, -0.001, kInfinity, -kInfinity, kNan}) {
        EXPECT_EQ(choose(wrong, 50, 90).ms, 50) << wrong;
        EXPECT_EQ(choose(wrong, 50, 90).source, job::LatencySource::server_timing) << wrong;
        EXPECT_EQ(choose({}, wrong, 90).ms, 90) << wrong;
        EXPECT_EQ(choose(wrong, wrong, 90).source, job::LatencySource::wire_estimate) << wrong;
    }
    EXPECT_EQ(choose({}, {}, 90).source, job::LatencySource::wire_estimate);
    EXPECT_EQ(choose({}, {}, {}).source, std::nullopt);
}

TEST(TrialSteps, EntersATimeout) {
    const job::TrialRecord record =
        entered(TestRun().context, failed(job::CallError::timeout, true)).record;
    EXPECT_TRUE(record.timed_out);
    EXPECT_EQ(record.error_kind, job::CallError::timeout);
    EXPECT_EQ(record.error_message, "why");
    EXPECT_EQ(record.answer, std::nullopt);
    EXPECT_EQ(record.http_status, std::nullopt);
    EXPECT_EQ(record.latency_e2e_ms, 5);
}

TEST(TrialSteps, ChecksTheFormatOfAnswersOnly) {
    constexpr std::string_view kJson = R"({"task": "t", "expected_format": "json"})";
    const TestRun run;
    EXPECT_EQ(entered(run.context, answered("[1]"), kJson).record.format_check_passed, true);
    EXPECT_EQ(entered(run.context, answered("[1"), kJson).record.format_check_passed, false);
    EXPECT_EQ(entered(run.context, failed(job::CallError::tls), kJson).record.format_check_passed,
              std::nullopt);
    EXPECT_EQ(entered(run.context, answered("x")).record.format_check_passed, std::nullopt);
}

TEST(TrialSteps, FinishesWithACompleteRecord) {
    const TestRun run;
    PreparedTrial trial = entered(run.context, answered("Light.", {10, 5, {}, {}}));
    trial.record.correctness_score = 2;
    trial.record.faithfulness_score = 2;
    const std::string json = finish_record(run.context, trial.record);
    const auto document = json::Document::parse(json);
    const auto record = job::read_trial_record(document->root());
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(*record, trial.record);
    EXPECT_TRUE(record->rubric_passed);
    EXPECT_EQ(record->total_tokens, 15);
}

TEST(TrialSteps, RedactsEverythingThatCameFromOutside) {
    const TestRun run;
    const std::string secret(kKey);
    PreparedTrial trial = entered(run.context, answered("mail bob@example.com or " + secret));
    trial.record.error_message = secret;
    trial.record.rationale = "bob@example.com";
    trial.record.evaluator_raw_output = secret;
    trial.record.model_reported = secret;
    trial.record.provider_request_id = secret;
    trial.record.tags["who"] = secret;
    const std::string json = finish_record(run.context, trial.record);
    EXPECT_THAT(json, AllOf(Not(HasSubstr(secret)), Not(HasSubstr("bob@example.com")),
                            HasSubstr("[REDACTED:email]"), HasSubstr("[REDACTED:secret]")));
}

TEST(TrialSteps, CountsWhatItRedactsByKind) {
    const TestRun run;
    PreparedTrial trial = prepare_trial(run.context, 0, kSample).value();
    trial.record.answer = "bob@example.com, alice@example.com";
    trial.record.rationale = "carol@example.com";
    redact(run.context, trial.record);
    EXPECT_THAT(trial.record.redactions, ::testing::ElementsAre(::testing::Pair("email", 3)));
}

TEST(TrialSteps, ScoresByTheLabelThatCameWithTheSample) {
    const TestRun run;
    const auto labelled = [&](std::uint64_t index) {
        auto context = run.context;
        context.spec.repeats = 2;
        context.spec.judge.reset();
        context.spec.labels = job::LabelsSpec{"l.jsonl", "hand-v1"};
        PreparedTrial trial = prepare_trial(context, index, R"({"task": "Why?", "manual_labels": [
            {"sample_id": "1", "repeat": 2, "accuracy_score": 1, "faithfulness_score": 2}]})")
                                  .value();
        enter_label(trial);
        return trial.record;
    };
    EXPECT_EQ(labelled(0).evaluator_error, job::EvaluatorError::missing_label);
    EXPECT_EQ(labelled(1).correctness_score, 1);
    EXPECT_FALSE(labelled(1).evaluator_error);
}

TEST(TrialSteps, TakesPersonalDataOutOfIdsUnlessTheRunMayKeepIt) {
    PreparedTrial trial =
        entered(TestRun().context, answered("x"), R"({"id": "bob@example.com", "task": "t"})");
    const TestRun keeping(R"("redaction": {"pii": false})");
    redact(keeping.context, trial.record);
    EXPECT_EQ(trial.record.sample_id, "bob@example.com");
    const TestRun run;
    redact(run.context, trial.record);
    EXPECT_THAT(*trial.record.sample_id, ::testing::StartsWith("[REDACTED:email:"));
}

TEST(TrialSteps, KnowsWhatOfAPromptIsTheSameForAllSamples) {
    const TestRun run;  // system "Be {{task_type}}.", template "{{context}}|{{task}}"
    job::Sample sample;
    EXPECT_THAT(constant_bytes(run.context, sample, 2), ::testing::ElementsAre(3U, 0U));
    sample.messages = {{job::MessageRole::system, "own"}, {job::MessageRole::user, "hi"}};
    EXPECT_THAT(constant_bytes(run.context, sample, 2), ::testing::ElementsAre());
    sample.messages = {{job::MessageRole::user, "hi"}};
    EXPECT_THAT(constant_bytes(run.context, sample, 2), ::testing::ElementsAre(3U));
}

TEST(TrialSteps, CountsWhatFailedAttemptsWereBilled) {
    const TestRun run;
    PreparedTrial trial = prepare_trial(run.context, 0, R"({"task": "T?"})").value();
    CallOutcome outcome;
    outcome.reply.emplace();
    outcome.reply->answer = "a";
    outcome.usage = {10, 5, {}, {}};
    outcome.failed_usage = {20, 7, {}, {}};
    enter_call(run.context, trial, outcome);
    EXPECT_EQ(trial.record.input_tokens, 10) << "of the attempt that was answered";
    EXPECT_EQ(trial.record.failed_attempts_input_tokens, 20);
    EXPECT_EQ(trial.record.failed_attempts_output_tokens, 7);
    EXPECT_DOUBLE_EQ(trial.record.cost_usd.value_or(0), 30 * 2e-6 + 12 * 10e-6);
}

TEST(Prefill, IsTheBeginningOfTheAnswer) {
    const TestRun run;
    auto trial = prepare_trial(
        run.context, 0,
        R"({"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"It is"}]})");
    ASSERT_TRUE(trial) << trial.error().message;
    CallOutcome outcome;
    outcome.reply = ModelReply{.answer = " Paris."};
    enter_call(run.context, *trial, outcome);
    EXPECT_EQ(trial->record.answer, "It is Paris.");
    outcome.reply->answer = "";
    enter_call(run.context, *trial, outcome);
    EXPECT_EQ(trial->record.answer, "") << "it said nothing";
}

TEST(Pictures, MustComeWithTheJob) {
    const TestRun run;
    const auto trial =
        prepare_trial(run.context, 0,
                      R"({"messages":[{"role":"user","content":[{"type":"image_url",)"
                      R"("image_url":"a.png"}]}]})");
    ASSERT_FALSE(trial);
    EXPECT_NE(trial.error().message.find("not embedded"), std::string::npos);
}

}  // namespace
}  // namespace evalfleet::worker
