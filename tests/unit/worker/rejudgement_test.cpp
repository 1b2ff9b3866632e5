#include "worker/trial/rejudgement.hpp"

#include "common/job/trial_record_json.hpp"
#include "tests/unit/worker/fixtures.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

job::TrialRecord stored() {
    job::TrialRecord record;
    record.run_id = "old";
    record.sample_id = "a";
    record.sample_index = 1;
    record.repeat = 2;
    record.answer = "yes";
    record.latency_e2e_ms = 123.5;
    record.input_tokens = 7;
    record.cost_usd = 0.25;
    record.evaluator_cost_usd = 0.5;
    record.provider_request_id = "req";
    record.correctness_score = 0;
    record.faithfulness_score = 1;
    record.rationale = "because";
    record.evaluator_attempts = 2;
    record.evaluator_error = job::EvaluatorError::call_error;
    record.evaluator_http_status = 401;
    record.judge_failure_label = "other";
    return record;
}

std::string payload(const job::TrialRecord& record) {
    return R"({"sample":{"id":"a","task":"?"},"record":)" + job::to_json(record) + "}";
}

const TestRun& rejudging() {
    static const TestRun run(R"("rejudged_from": "old")");
    return run;
}

TEST(Rejudgement, KeepsWhatWasMeasuredAndForgetsTheVerdict) {
    const auto trial = prepare_rejudgement(rejudging().context, 4, payload(stored()));
    ASSERT_TRUE(trial) << trial.error().message;
    const job::TrialRecord& record = trial->record;
    EXPECT_EQ(trial->sample.task, "?");
    EXPECT_EQ(record.run_id, "r1");
    EXPECT_EQ(record.rejudged_from, "old");
    EXPECT_EQ(record.answer, "yes");
    EXPECT_EQ(record.latency_e2e_ms, 123.5);
    EXPECT_EQ(record.input_tokens, 7);
    EXPECT_EQ(record.provider_request_id, "req");
    EXPECT_FALSE(record.correctness_score);
    EXPECT_FALSE(record.faithfulness_score);
    EXPECT_FALSE(record.rationale);
    EXPECT_FALSE(record.evaluator_attempts);
    EXPECT_FALSE(record.evaluator_error);
    EXPECT_FALSE(record.evaluator_http_status);
    EXPECT_FALSE(record.judge_failure_label);
}

TEST(Rejudgement, CostsTheJudgesCallAlone) {
    const auto trial = prepare_rejudgement(rejudging().context, 4, payload(stored()));
    ASSERT_TRUE(trial) << trial.error().message;
    EXPECT_EQ(trial->record.cost_usd, 0.0) << "the first run paid for the answer";
    EXPECT_FALSE(trial->record.evaluator_cost_usd);
    job::TrialRecord unpriced = stored();
    unpriced.cost_usd.reset();
    const auto other = prepare_rejudgement(rejudging().context, 4, payload(unpriced));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE(other->record.cost_usd) << "what is unknown stays unknown";
}

TEST(Rejudgement, RefusesWhatIsAnotherTrialsOrHasNoAnswer) {
    EXPECT_FALSE(prepare_rejudgement(rejudging().context, 3, payload(stored())));
    job::TrialRecord silent = stored();
    silent.answer.reset();
    EXPECT_FALSE(prepare_rejudgement(rejudging().context, 4, payload(silent)));
    for (const char* wrong : {"", "{}", R"({"sample":{"task":"?"}})", R"({"task":"?"})"})
        EXPECT_FALSE(prepare_rejudgement(rejudging().context, 4, wrong)) << wrong;
}

}  // namespace
}  // namespace evalfleet::worker
