#include "tests/integration/worker/fleet.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The model does as told, the judge is content.
ModelServer::Script model(std::function<Action(const SeenCall&)> model_script) {
    return [model_script](const SeenCall& call) -> Action {
        if (call.model == "j") return {.body = completion(verdict())};
        return model_script(call);
    };
}

/// The model answers well, the judge does as told.
ModelServer::Script judge(std::function<Action(const SeenCall&)> judge_script) {
    return [judge_script](const SeenCall& call) -> Action {
        if (call.model == "m") return {.body = completion("Because.")};
        return judge_script(call);
    };
}

/// The record of one trial, done by a worker of its own.
job::TrialRecord run_trial(Fleet& fleet, std::string payload = R"({"task": "Why?"})") {
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, std::move(payload));
    return fleet.blocking_next_record();
}

/// Fails once as told, then answers.
ModelServer::Script fails_once(Action failure) {
    return model([failure](const SeenCall& call) -> Action {
        if (call.number == 1) return failure;
        return {.body = completion("Because.")};
    });
}

TEST(WorkerTrial, PushesACompleteRecord) {
    Fleet fleet(model([](const SeenCall&) -> Action {
        return {.body = completion("Because.",
                                   R"("usage": {"prompt_tokens": 1000, "completion_tokens": 100,
                        "prompt_tokens_details": {"cached_tokens": 400}})"),
                .headers = {{"openai-processing-ms", "0.001"}}};
    }));
    const auto worker = fleet.start_worker();
    fleet.enqueue(4, R"({"id": "q2", "task": "Why?", "context": "Sky", "task_type": "qa",
                         "tags": {"lang": "en"}, "expected_format": {"regex": "B.*"}})");
    const job::TrialRecord record = fleet.blocking_next_record();

    EXPECT_EQ(record.run_id, "r1");
    EXPECT_EQ(record.sample_id, "q2");
    EXPECT_EQ(record.sample_index, 1);
    EXPECT_EQ(record.repeat, 2);
    EXPECT_EQ(record.task_type, "qa");
    EXPECT_EQ(record.tags, (job::Tags{{"lang", "en"}}));

    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(record.finish_reason, "stop");
    EXPECT_EQ(record.model_reported, "served-model-1");
    EXPECT_TRUE(record.provider_request_id);  // our server gives every reply one
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.error_kind, std::nullopt);
    EXPECT_EQ(record.error_message, std::nullopt);
    EXPECT_FALSE(record.timed_out);

    ASSERT_TRUE(record.latency_e2e_ms);
    EXPECT_GT(*record.latency_e2e_ms, 0);
    EXPECT_EQ(record.latency_model_ms, 0.001);
    EXPECT_EQ(record.latency_model_source, job::LatencySource::provider_reported);
    EXPECT_TRUE(record.started_at_utc);

    EXPECT_EQ(record.input_tokens, 1000);
    EXPECT_EQ(record.output_tokens, 100);
    EXPECT_EQ(record.total_tokens, 1100);
    EXPECT_EQ(record.output_input_ratio, 0.1);
    EXPECT_EQ(record.tokens_source, job::TokensSource::provider);
    EXPECT_EQ(record.cache_read_input_tokens, 400);
    EXPECT_EQ(record.cache_write_input_tokens, std::nullopt);
    EXPECT_EQ(record.estimated_cache_savings_tokens, 400);
    EXPECT_DOUBLE_EQ(record.estimated_cache_savings_usd.value(), 0.0004);
    EXPECT_DOUBLE_EQ(record.cost_usd.value(), 0.0026);

    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.faithfulness_score, 2);
    EXPECT_EQ(record.hallucination_score, 0);
    EXPECT_EQ(record.hallucination_source, job::HallucinationSource::derived);
    EXPECT_EQ(record.rationale, "as told");
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(record.evaluator_attempts, 1);
    EXPECT_EQ(record.evaluator_raw_output, std::nullopt);
    EXPECT_TRUE(record.evaluator_latency_ms && record.evaluator_input_tokens);
    EXPECT_EQ(record.format_check_passed, true);

    EXPECT_TRUE(record.sample_score);
    EXPECT_TRUE(record.rubric_passed);
    EXPECT_TRUE(record.spec_passed);
    EXPECT_EQ(record.failure_label, std::nullopt);
}

TEST(WorkerTrial, SendsThePromptAndTheKey) {
    Fleet fleet(model([](const SeenCall&) -> Action { return {.body = completion("x")}; }));
    run_trial(fleet, R"({"task": "Why?", "context": "{{task}}"})");
    const auto calls = fleet.models().calls();
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].prompt, "{{task}}|Why?");
    EXPECT_EQ(calls[0].api_key, kTestKey);
    EXPECT_THAT(calls[1].prompt, HasSubstr("Why?"));
}

TEST(WorkerTrial, TriesAgainWhenTheServerSays) {
    for (const Action& failure : {Action{.status = 429, .headers = {{"retry-after-ms", "700"}}},
                                  Action{.status = 429, .headers = {{"retry-after", "0.7"}}},
                                  Action{.status = 503, .headers = {{"retry-after", "0.7"}}}}) {
        Fleet fleet(fails_once(failure));
        const job::TrialRecord record = run_trial(fleet);
        EXPECT_EQ(record.answer, "Because.");
        EXPECT_EQ(record.attempts, 2);
        EXPECT_EQ(record.http_status, 200);
        EXPECT_EQ(record.error_kind, std::nullopt);
        EXPECT_GE(record.latency_e2e_ms.value(), 700);  // the wait counts
        EXPECT_GE(record.timing.retry_wait_ms.value(), 700);
    }
}

TEST(WorkerTrial, TriesAgainAfterAServerErrorAndABrokenConnection) {
    for (const Action& failure : {Action{.status = 500}, Action{.cut = true}}) {
        Fleet fleet(fails_once(failure));
        const job::TrialRecord record = run_trial(fleet);
        EXPECT_EQ(record.answer, "Because.");
        EXPECT_EQ(record.attempts, 2);
    }
}

TEST(WorkerTrial, GivesUpAtOnceWhereTryingIsUseless) {
    Fleet fleet(fails_once({.status = 400, .body = R"({"error": {"message": "bad model"}})"}));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::http_4xx);
    EXPECT_EQ(record.error_message, "HTTP 400: bad model");
    EXPECT_EQ(record.http_status, 400);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.answer, std::nullopt);
    EXPECT_EQ(record.input_tokens, std::nullopt);
    EXPECT_EQ(record.correctness_score, 0);
    EXPECT_EQ(record.sample_score, 0);
    EXPECT_EQ(record.failure_label, job::FailureLabel::other);
    EXPECT_EQ(fleet.models().count_calls("j"), 0U);
}

TEST(WorkerTrial, GivesUpAfterTheLastAttempt) {
    Fleet fleet(model([](const SeenCall&) -> Action {
                    return {.status = 429, .headers = {{"retry-after-ms", "1"}}};
                }),
                R"("limits": {"max_attempts": 2})");
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::http_429);
    EXPECT_EQ(record.attempts, 2);
    EXPECT_EQ(fleet.models().count_calls("m"), 2U);
}

TEST(WorkerTrial, DoesNotWaitBeyondTheTimeOfTheCall) {
    Fleet fleet(fails_once({.status = 429, .headers = {{"retry-after", "50"}}}),
                R"("limits": {"timeout_ms": 40000})");
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::http_429);
    EXPECT_FALSE(record.timed_out);
    EXPECT_LT(record.latency_e2e_ms.value(), 40'000);
}

TEST(WorkerTrial, CallsAMalformedBodyByItsName) {
    Fleet fleet(fails_once({.body = "<html>oops</html>"}));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::malformed_response);
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.attempts, 1);
}

TEST(WorkerTrial, CallsAnEmptyAnswerByItsName) {
    Fleet fleet(fails_once({.body = completion("", R"("usage": {"prompt_tokens": 3})")}));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::empty_response);
    EXPECT_EQ(record.finish_reason, "stop");
    EXPECT_EQ(record.input_tokens, 3);
}

TEST(WorkerTrial, TimesOutWhenNothingComes) {
    Fleet fleet(model([](const SeenCall&) -> Action { return {.held = true}; }),
                R"("limits": {"timeout_ms": 300})");
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_TRUE(record.timed_out);
    EXPECT_EQ(record.error_kind, job::CallError::timeout);
    EXPECT_EQ(record.http_status, std::nullopt);
    EXPECT_GE(record.latency_e2e_ms.value(), 300);
    EXPECT_EQ(record.failure_label, job::FailureLabel::timeout_or_latency_exceeded);
}

TEST(WorkerTrial, AsksTheJudgeASecondTimeWithTheSameQuestion) {
    Fleet fleet(judge([](const SeenCall& call) -> Action {
        return {.body = completion(call.number == 1 ? "Well, " + verdict() : verdict(1, 2))};
    }));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.correctness_score, 1);
    EXPECT_EQ(record.evaluator_attempts, 2);
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(record.evaluator_raw_output, std::nullopt);
    const auto calls = fleet.models().calls();
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[1].prompt, calls[2].prompt);
}

TEST(WorkerTrial, KeepsWhatTheJudgeSaidIfItCannotBeReadTwice) {
    Fleet fleet(judge([](const SeenCall& call) -> Action {
        return {.body = completion("no " + std::to_string(call.number))};
    }));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::parse_error);
    EXPECT_EQ(record.evaluator_raw_output, "no 2");
    EXPECT_EQ(record.evaluator_attempts, 2);
    EXPECT_EQ(record.correctness_score, std::nullopt);
    EXPECT_EQ(record.sample_score, std::nullopt);
    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(fleet.models().count_calls("j"), 2U);
}

TEST(WorkerTrial, SaysWhenTheJudgeCannotBeAsked) {
    Fleet fleet(judge([](const SeenCall&) -> Action { return {.status = 400}; }));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::call_error);
    EXPECT_EQ(record.correctness_score, std::nullopt);
    EXPECT_EQ(record.error_kind, std::nullopt);
}

TEST(WorkerTrial, RedactsTheRecordButNotWhatTheJudgeSees) {
    Fleet fleet(model([](const SeenCall& call) -> Action {
        return {.body = completion("Write to bob@example.com with " + call.api_key)};
    }));
    const job::TrialRecord record = run_trial(fleet);
    EXPECT_EQ(record.answer, "Write to [REDACTED:email] with [REDACTED:secret]");
    EXPECT_THAT(fleet.models().calls().back().prompt,
                AllOf(HasSubstr("bob@example.com"), Not(HasSubstr(std::string(kTestKey)))))
        << "but for our own keys";
}

TEST(WorkerTrial, EndsAJobWhosePayloadIsNoSample) {
    Fleet fleet(model([](const SeenCall&) -> Action { return {}; }));
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, R"({"no_task": 1})");
    const queue::RunResult result = fleet.blocking_next_result();
    EXPECT_EQ(result.kind, queue::RunResult::Kind::dead);
    EXPECT_THAT(result.value, HasSubstr("payload"));
    EXPECT_EQ(fleet.models().count_calls("m"), 0U);
}

TEST(WorkerTrial, DoesManyJobsOnceEach) {
    Fleet fleet(model([](const SeenCall&) -> Action { return {.body = completion("x")}; }));
    const auto worker = fleet.start_worker({"--threads", "2", "--compute-threads", "2"});
    constexpr std::uint64_t kJobs = 300;
    for (std::uint64_t i = 0; i < kJobs; ++i)
        fleet.enqueue(i);
    std::vector<bool> seen(kJobs);
    for (std::uint64_t i = 0; i < kJobs; ++i) {
        const queue::RunResult result = fleet.blocking_next_result();
        ASSERT_LT(result.index, kJobs);
        EXPECT_FALSE(seen[result.index]);
        seen[result.index] = true;
    }
    EXPECT_EQ(fleet.models().count_calls("m"), kJobs);
}

}  // namespace
}  // namespace evalfleet::worker
