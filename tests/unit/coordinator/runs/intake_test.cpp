#include "coordinator/runs/intake.hpp"

#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "tests/support/full_record.hpp"

#include <gmock/gmock.h>

namespace evalfleet::runs {
namespace {

using ::testing::HasSubstr;

job::TrialRecord record_of(std::int64_t sample_index, std::int64_t repeat) {
    job::TrialRecord record;
    record.run_id = "r1";
    record.sample_index = sample_index;
    record.repeat = repeat;
    record.answer = "42";
    record.model_reported = "m-1";
    record.rubric_passed = true;
    return record;
}

queue::RunResult result_of(std::uint64_t index, std::string value) {
    return {"1-0", index, 1, queue::RunResult::Kind::record, std::move(value)};
}

std::optional<job::Sample> no_sample(std::uint64_t) {
    return std::nullopt;
}

class IntakeTest : public ::testing::Test {
  protected:
    Intake intake{{"r1", 3, 30, {}}};
};

TEST_F(IntakeTest, AcceptsARecordOfTheTrialItClaims) {
    const auto accepted = intake.accept(result_of(7, to_json(record_of(2, 2))), no_sample);
    ASSERT_TRUE(accepted) << accepted.error().message;
    EXPECT_TRUE(accepted->trial.passed);
    EXPECT_FALSE(accepted->trial.errored);
    EXPECT_EQ(accepted->trial.model_reported, "m-1");
    EXPECT_EQ(accepted->record, to_json(record_of(2, 2)));
}

TEST_F(IntakeTest, ChangesNoByteOfARecord) {
    const job::TrialRecord full = ::evalfleet::testing::full_record();
    const std::string record = to_json(full);
    const std::uint64_t index = job::TrialIndex::of(full).within(intake.terms().repeats);
    const auto accepted = intake.accept(result_of(index, record), no_sample);
    ASSERT_TRUE(accepted) << accepted.error().message;
    EXPECT_EQ(accepted->record, record);
}

TEST_F(IntakeTest, WritesARecordInItsCanonicalForm) {
    const std::string spaced =
        R"( {"repeat": 2, "sample_index": 2.0, "run_id": "r1", "unknown": [1, 2]} )";
    const auto accepted = intake.accept(result_of(7, spaced), no_sample);
    ASSERT_TRUE(accepted) << accepted.error().message;
    EXPECT_THAT(accepted->record, HasSubstr(R"("sample_index":2,"repeat":2,)"));
}

TEST_F(IntakeTest, RefusesWhatIsAnotherTrialsOrRunsOrNone) {
    auto other_run = record_of(2, 2);
    other_run.run_id = "r2";
    for (const std::string& value :
         {to_json(record_of(2, 1)), to_json(record_of(3, 2)), to_json(other_run), std::string("{"),
          std::string(R"({"sample_index": "2"})"), std::string()}) {
        const auto accepted = intake.accept(result_of(7, value), no_sample);
        ASSERT_FALSE(accepted) << value;
        EXPECT_EQ(accepted.error().kind, ErrorKind::invalid) << value;
    }
    EXPECT_FALSE(intake.accept(result_of(30, to_json(record_of(10, 1))), no_sample));
}

TEST_F(IntakeTest, MakesARecordOfADeadJobThatCountsAsAnError) {
    queue::RunResult dead = result_of(7, "no worker finished it in 5 deliveries");
    dead.kind = queue::RunResult::Kind::dead;
    const auto accepted = intake.accept(dead, [](std::uint64_t index) {
        job::Sample sample;
        sample.id = "q" + std::to_string(index);
        sample.task_type = "qa";
        return std::optional(sample);
    });
    ASSERT_TRUE(accepted);
    EXPECT_TRUE(accepted->trial.errored);
    EXPECT_THAT(accepted->record, HasSubstr(R"("sample_id":"q2")"));
    EXPECT_THAT(accepted->record, HasSubstr(R"("error_kind":"worker_lost")"));
    EXPECT_THAT(accepted->record, HasSubstr("in 5 deliveries"));
    EXPECT_THAT(accepted->record, HasSubstr(R"("failure_label":"other")"));
}

TEST_F(IntakeTest, LeavesNoSecretInTheRecordOfADeadJob) {
    queue::RunResult dead = result_of(7, "cannot read bob@example.org");
    dead.kind = queue::RunResult::Kind::dead;
    const auto accepted = intake.accept(dead, [](std::uint64_t) {
        job::Sample sample;
        sample.id = "q1-jane@example.org";
        sample.tags = {{"who", "Bearer abcdefghijklmnopqrstuvwxyz123"}};
        return std::optional(sample);
    });
    ASSERT_TRUE(accepted);
    EXPECT_THAT(accepted->record, HasSubstr(R"("who":"Bearer [REDACTED:bearer_token:)"));
    EXPECT_THAT(accepted->record, HasSubstr(R"("sample_id":"[REDACTED:email:)"));
    EXPECT_THAT(accepted->record, HasSubstr(R"("error_message":"cannot read [REDACTED:email]")"));
    EXPECT_THAT(accepted->record, HasSubstr(R"({"bearer_token":1,"email":2})"));
}

TEST_F(IntakeTest, CountsARecordFromTheLogAsItDidWhenItCame) {
    const auto accepted = intake.accept(result_of(7, to_json(record_of(2, 2))), no_sample);
    const auto again = intake.recount(accepted->record);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->passed, accepted->trial.passed);
    EXPECT_EQ(again->model_reported, accepted->trial.model_reported);
}

}  // namespace
}  // namespace evalfleet::runs
