#include "common/scoring/failure_labels.hpp"

#include "common/scoring/derive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using job::FailureLabel;
using job::HallucinationSource;
using job::TrialRecord;
using testing::ElementsAre;
using testing::IsEmpty;

TrialRecord trial(int correctness, int faithfulness, std::optional<int> judged_hallucination = {}) {
    TrialRecord record;
    record.answer = "x";
    record.latency_e2e_ms = 100;
    record.input_tokens = 1;
    record.output_tokens = 1;
    record.correctness_score = correctness;
    record.faithfulness_score = faithfulness;
    if (judged_hallucination) {
        record.hallucination_score = judged_hallucination;
        record.hallucination_source = HallucinationSource::judge;
    }
    return record;
}

TrialRecord labelled(TrialRecord record) {
    derive(record, {});
    return record;
}

TEST(FailureLabels, AreNoneForATrialThatPassesBothConditionsWhateverTheJudgeSays) {
    TrialRecord record = trial(2, 2);
    record.judge_failure_label = "incorrect_answer";
    EXPECT_FALSE(labelled(record).failure_label);
    EXPECT_THAT(labelled(record).failure_labels_secondary, IsEmpty());
}

TEST(FailureLabels, PutTheJudgesOwnLabelFirstAndTheOthersInTaxonomyOrder) {
    TrialRecord record = trial(0, 0, 2);
    record.judge_failure_label = "tool_or_retrieval_misuse";
    record.format_check_passed = false;
    record.latency_e2e_ms = 9000;
    EXPECT_EQ(labelled(record).failure_label, FailureLabel::tool_or_retrieval_misuse);
    EXPECT_THAT(
        labelled(record).failure_labels_secondary,
        ElementsAre(FailureLabel::incorrect_answer, FailureLabel::unfaithful_to_context,
                    FailureLabel::hallucinated_fact, FailureLabel::format_or_schema_violation,
                    FailureLabel::timeout_or_latency_exceeded));
}

TEST(FailureLabels, IgnoreAJudgesLabelThatIsNotInTheTaxonomyButKeepIt) {
    TrialRecord record = trial(1, 2);
    record.judge_failure_label = "Incorrect_Answer";
    EXPECT_EQ(labelled(record).failure_label, FailureLabel::missing_required_content);
    EXPECT_EQ(labelled(record).judge_failure_label, "Incorrect_Answer");
}

TEST(FailureLabels, RankMajorFaultsBeforeMinorOnes) {
    TrialRecord format = trial(0, 0, 2);
    format.format_check_passed = false;
    EXPECT_EQ(labelled(format).failure_label, FailureLabel::format_or_schema_violation);
    EXPECT_EQ(labelled(trial(0, 0, 2)).failure_label, FailureLabel::hallucinated_fact);
    EXPECT_EQ(labelled(trial(0, 0, 1)).failure_label, FailureLabel::unfaithful_to_context);
    EXPECT_EQ(labelled(trial(0, 1, 1)).failure_label, FailureLabel::incorrect_answer);
    EXPECT_EQ(labelled(trial(1, 1, 1)).failure_label, FailureLabel::missing_required_content);
    EXPECT_EQ(labelled(trial(2, 1, 1)).failure_label, FailureLabel::hallucinated_fact);
    EXPECT_EQ(labelled(trial(2, 1)).failure_label, FailureLabel::unfaithful_to_context);
}

TEST(FailureLabels, DoNotTakeADerivedHallucinationForAHallucinatedFact) {
    const TrialRecord record = labelled(trial(2, 0));
    EXPECT_EQ(record.hallucination_score, 2);
    EXPECT_EQ(record.failure_label, FailureLabel::unfaithful_to_context);
    EXPECT_THAT(record.failure_labels_secondary, IsEmpty());
}

TEST(FailureLabels, NameLatencyOnlyWhereNothingElseHolds) {
    TrialRecord record = trial(2, 2);
    record.latency_e2e_ms = 8000.001;
    EXPECT_EQ(labelled(record).failure_label, FailureLabel::timeout_or_latency_exceeded);
}

TEST(FailureLabels, SayOtherWhereOnlyTheTokensAreTooMany) {
    TrialRecord record = trial(2, 2);
    record.input_tokens = 7000;
    EXPECT_EQ(labelled(record).failure_label, FailureLabel::other);
    EXPECT_THAT(labelled(record).failure_labels_secondary, IsEmpty());
}

TEST(FailureLabels, AddLatencyToANonResponsiveTrialButNothingAboutItsAnswer) {
    TrialRecord record = trial(0, 0, 2);
    record.error_kind = job::CallError::http_5xx;
    record.format_check_passed = false;
    record.judge_failure_label = "hallucinated_fact";
    record.latency_e2e_ms = 9000;
    EXPECT_EQ(labelled(record).failure_label, FailureLabel::other);
    EXPECT_THAT(labelled(record).failure_labels_secondary,
                ElementsAre(FailureLabel::timeout_or_latency_exceeded));
}

TEST(FailureLabels, AreGivenToATrialThatFailsOnlyOneOfTheConditions) {
    const TrialRecord record = labelled(trial(1, 2));
    EXPECT_TRUE(record.rubric_passed);
    EXPECT_FALSE(record.spec_passed);
    EXPECT_EQ(record.failure_label, FailureLabel::missing_required_content);
}

}  // namespace
}  // namespace evalfleet::scoring
