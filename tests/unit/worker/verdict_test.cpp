#include "worker/judge/verdict.hpp"

#include "common/job/setback.hpp"
#include "tests/unit/worker/fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kGood =
    R"({"accuracy_score": 2, "faithfulness_score": 1, "rationale": "fine"})";

CallOutcome reply(std::string_view text) {
    CallOutcome outcome;
    outcome.reply.emplace();
    outcome.reply->answer = text;
    outcome.usage = {30, 7, {}, {}};
    outcome.timing.e2e_ms = 10.125;
    if (text.empty()) outcome.failure = {job::CallError::empty_response, "", false};
    return outcome;
}

CallOutcome no_reply() {
    CallOutcome outcome;
    outcome.failure = {job::CallError::http_5xx, "HTTP 500", false};
    outcome.timing.e2e_ms = 1;
    return outcome;
}

NextStep enter(const CallOutcome& outcome, job::TrialRecord& record) {
    static const TestRun run;
    return enter_verdict(run.context, JudgeRequest{{}, 41}, outcome, record);
}

TEST(Verdict, ShowsTheJudgeTheWholeChatWhereTheProfileDoes) {
    const std::string payload =
        R"({"messages":[{"role":"user","content":"First?"},{"role":"assistant","content":"One."},)"
        R"({"role":"user","content":"Second?"}]})";
    for (const char* profile : {"rubric-v1", "spec-v1", "rubric-v1-chat", "spec-v1-chat"}) {
        const TestRun run(R"("judge": {"provider": "main", "name": "j", "version": "v2",)"
                          R"( "profile": ")" +
                          std::string(profile) + "\"}");
        const PreparedTrial trial = prepare_trial(run.context, 0, payload).value();
        job::TrialRecord record = trial.record;
        record.answer = "Two.";
        const std::string body =
            make_judge_request(run.context, trial.sample, record).call.request.http.body;
        EXPECT_THAT(body, HasSubstr(R"(- task: Second?\n)")) << profile;
        const auto conversation = HasSubstr(
            R"(- conversation: [user]\nFirst?\n\n[assistant]\nOne.\n\n[user]\nSecond?\n- task:)");
        if (std::string_view(profile).ends_with("-chat"))
            EXPECT_THAT(body, conversation) << profile;
        else
            EXPECT_THAT(body, Not(HasSubstr("First?"))) << profile;
    }
}

TEST(Verdict, AsksAboutATaskInTheSameWordsInTheProfilesForChats) {
    const auto prompt_of = [](const std::string& profile) {
        const TestRun run(R"("judge": {"provider": "main", "name": "j", "profile": ")" + profile +
                          "\"}");
        const PreparedTrial trial = prepare_trial(run.context, 0, R"({"task": "T?"})").value();
        job::TrialRecord record = trial.record;
        record.answer = "A.";
        return make_judge_request(run.context, trial.sample, record).call.request.http.body;
    };
    EXPECT_EQ(prompt_of("rubric-v1-chat"), prompt_of("rubric-v1"));
    EXPECT_EQ(prompt_of("spec-v1-chat"), prompt_of("spec-v1"));
    EXPECT_NE(prompt_of("spec-v1"), prompt_of("rubric-v1"));
}

TEST(Verdict, ShowsTheJudgeNoKeyOfTheOperators) {
    TestRun run;
    auto keys = std::make_shared<redaction::Secrets>();
    keys->add("plain words of a key");
    run.context.own_secrets = keys;
    const PreparedTrial trial = prepare_trial(run.context, 0, R"({"task": "T?"})").value();
    job::TrialRecord record = trial.record;
    record.answer = "You called me with plain words of a key, bob@example.com.";
    const std::string body =
        make_judge_request(run.context, trial.sample, record).call.request.http.body;
    EXPECT_THAT(body, HasSubstr("You called me with [REDACTED:secret], bob@example.com."));
}

TEST(Verdict, AsksTheJudgeAboutTheAnswerAsItIs) {
    const TestRun run;
    const PreparedTrial trial =
        prepare_trial(run.context, 0, R"({"task": "T?", "reference_answer": "R"})").value();
    job::TrialRecord record = trial.record;
    record.answer = "mail bob@example.com {{task}}";
    const JudgeRequest request = make_judge_request(run.context, trial.sample, record);
    EXPECT_THAT(request.call.request.http.body, HasSubstr("mail bob@example.com {{task}}"));
    EXPECT_THAT(request.call.request.http.body, HasSubstr("\"model\":\"j\""));
    EXPECT_THAT(request.call.request.http.body, HasSubstr("\"temperature\":0"));
    EXPECT_GT(request.prompt_bytes, 100U);
}

TEST(Verdict, CountsWhatAFailedCallWasBilled) {
    CallOutcome outcome = no_reply();
    outcome.usage = {30, 7, {}, {}};
    job::TrialRecord record;
    enter(outcome, record);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::call_error);
    EXPECT_EQ(record.evaluator_input_tokens, 30);
    EXPECT_DOUBLE_EQ(record.evaluator_cost_usd.value_or(0), 30 * 2e-6 + 7 * 10e-6);
    job::TrialRecord nothing;
    enter(no_reply(), nothing);
    EXPECT_FALSE(nothing.evaluator_input_tokens || nothing.evaluator_cost_usd);
}

TEST(Verdict, CountsTheAttemptsOfAllCallsThatWereMadeAgain) {
    CallOutcome unreadable = reply("{"), good = reply(kGood);
    unreadable.failed_attempts = {{"http_429", 2}};
    good.failed_attempts = {{"connect", 1}, {"http_429", 1}};
    job::TrialRecord record;
    enter(unreadable, record);
    enter(good, record);
    EXPECT_EQ(record.evaluator_failed_attempts,
              (job::SetbackCounts{{"connect", 1}, {"http_429", 3}}));
}

TEST(Verdict, GivesTheScores) {
    job::TrialRecord record;
    EXPECT_EQ(enter(reply(kGood), record), NextStep::done);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.faithfulness_score, 1);
    EXPECT_EQ(record.rationale, "fine");
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(record.evaluator_attempts, 1);
    EXPECT_EQ(record.evaluator_latency_ms, 10.125);
    EXPECT_EQ(record.evaluator_input_tokens, 30);
    EXPECT_EQ(record.evaluator_output_tokens, 7);
    EXPECT_EQ(record.evaluator_raw_output, std::nullopt);
}

TEST(Verdict, AsksAgainAfterAParseError) {
    job::TrialRecord record;
    EXPECT_EQ(enter(reply("Sure! {}"), record), NextStep::ask_again);
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(enter(reply(kGood), record), NextStep::done);
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.evaluator_attempts, 2);
    EXPECT_EQ(record.evaluator_latency_ms, 20.25);
    EXPECT_EQ(record.evaluator_input_tokens, 60);
    EXPECT_EQ(record.evaluator_raw_output, std::nullopt);
}

TEST(Verdict, IsAParseErrorTheSecondTime) {
    job::TrialRecord record;
    EXPECT_EQ(enter(reply("first"), record), NextStep::ask_again);
    EXPECT_EQ(enter(reply("second"), record), NextStep::done);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::parse_error);
    EXPECT_EQ(record.evaluator_raw_output, "second");
    EXPECT_EQ(record.correctness_score, std::nullopt);
    EXPECT_EQ(record.faithfulness_score, std::nullopt);
    EXPECT_EQ(record.hallucination_score, std::nullopt);
}

TEST(Verdict, TakesAnEmptyReplyForOneThatCannotBeRead) {
    job::TrialRecord record;
    EXPECT_EQ(enter(reply(""), record), NextStep::ask_again);
}

TEST(Verdict, IsACallErrorIfThereIsNoReply) {
    job::TrialRecord record;
    EXPECT_EQ(enter(no_reply(), record), NextStep::done);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::call_error);
    EXPECT_EQ(record.evaluator_attempts, 1);
    EXPECT_EQ(record.evaluator_input_tokens, std::nullopt);
}

TEST(Verdict, IsACallErrorIfTheSecondReplyIsMissing) {
    job::TrialRecord record;
    EXPECT_EQ(enter(reply("first"), record), NextStep::ask_again);
    EXPECT_EQ(enter(no_reply(), record), NextStep::done);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::call_error);
    EXPECT_EQ(record.evaluator_raw_output, std::nullopt);
}

TEST(Verdict, EstimatesTokensThatWereNotReported) {
    job::TrialRecord record;
    CallOutcome outcome = reply(kGood);
    outcome.usage = {};
    static_cast<void>(enter(outcome, record));
    EXPECT_EQ(record.evaluator_input_tokens, 11);  // 41 bytes
}

std::string judge_body(const std::string& judge) {
    const TestRun run(R"("judge": {"provider": "main", "name": "j", "version": "v2")" + judge +
                      "}");
    const PreparedTrial trial = prepare_trial(run.context, 0, R"({"task": "T?"})").value();
    return make_judge_request(run.context, trial.sample, trial.record).call.request.http.body;
}

TEST(Verdict, AsksTheJudgeAsTheRunSays) {
    const std::string usual = judge_body("");
    EXPECT_THAT(usual, HasSubstr("\"max_tokens\":1024"));
    EXPECT_THAT(usual, HasSubstr(R"("response_format":{"type":"json_object"})"));
    const std::string asked = judge_body(R"(, "response_format": "none", "generation":
        {"max_tokens": 9000, "seed": null, "temperature": 1, "stop": ["END"]})");
    EXPECT_THAT(asked, HasSubstr("\"max_tokens\":9000"));
    EXPECT_THAT(asked, HasSubstr("\"temperature\":1"));
    EXPECT_THAT(asked, HasSubstr(R"("stop":["END"])"));
    EXPECT_THAT(asked, Not(HasSubstr("seed")));
    EXPECT_THAT(asked, Not(HasSubstr("response_format")));
}

TEST(Verdict, KeepsWhyRepliesWereRejectedHowTheyEndedAndWhatWasLeftOut) {
    CallOutcome cut = reply("{\"accuracy_score\": 2");
    cut.finish_reason = "length";
    cut.refused_parameters = {"seed"};
    CallOutcome thought = reply("");
    thought.finish_reason = "length";
    thought.failure->message = "the answer has no text: max_tokens was reached while thinking";
    job::TrialRecord record;
    EXPECT_EQ(enter(cut, record), NextStep::ask_again);
    EXPECT_EQ(enter(thought, record), NextStep::done);
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::parse_error);
    EXPECT_EQ(record.evaluator_finish_reason, "length");
    ASSERT_EQ(record.evaluator_reply_faults.size(), 2U);
    EXPECT_THAT(record.evaluator_reply_faults[0], HasSubstr("raise judge.generation.max_tokens"));
    EXPECT_THAT(record.evaluator_reply_faults[1], HasSubstr("while thinking"));
    EXPECT_EQ(record.evaluator_error_message, record.evaluator_reply_faults[1]);
    job::TrialRecord scored;
    static_cast<void>(enter(reply("[]"), scored));
    CallOutcome good = reply(kGood);
    good.refused_parameters = {"seed"};
    static_cast<void>(enter(good, scored));
    EXPECT_THAT(scored.evaluator_reply_faults,
                ::testing::ElementsAre("the reply is not a JSON object"));
    EXPECT_THAT(scored.evaluator_refused_parameters, ::testing::ElementsAre("seed"));
    EXPECT_FALSE(scored.evaluator_error_message);
}

TEST(Verdict, CountsWhatFailedAttemptsAndCallsWereBilled) {
    static const TestRun run;
    CallOutcome outcome = reply(kGood);
    outcome.usage = {30, 7, 4, {}, 5};
    outcome.failed_usage = {10, 1, {}, {}};
    job::TrialRecord record;
    static_cast<void>(enter(outcome, record));
    EXPECT_EQ(record.evaluator_input_tokens, 40);
    EXPECT_EQ(record.evaluator_output_tokens, 8);
    EXPECT_EQ(record.evaluator_reasoning_tokens, 5);
    EXPECT_EQ(record.evaluator_cache_read_input_tokens, 4);
    EXPECT_DOUBLE_EQ(record.evaluator_cost_usd.value_or(0), 38 * 2e-6 + 8 * 10e-6);
    CallOutcome lost = no_reply();
    lost.usage = {5, 0, {}, {}};
    enter_setback(run.context, lost, record);
    EXPECT_EQ(record.evaluator_input_tokens, 45);
    EXPECT_EQ(record.evaluator_attempts, 1) << "it is one call";
}

}  // namespace
}  // namespace evalfleet::worker
