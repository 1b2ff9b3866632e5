#include "common/scoring/manual_label.hpp"

#include "common/json/document.hpp"
#include "common/scoring/derive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using ::testing::HasSubstr;

Result<ManualLabel> read(const std::string& json) {
    const auto document = json::Document::parse(json);
    return read_manual_label(document.value().root());
}

std::string refusal(const std::string& json) {
    const auto label = read(json);
    return label ? "" : label.error().message;
}

job::TrialRecord answered() {
    job::TrialRecord record;
    record.answer = "an answer";
    record.latency_e2e_ms = 1000;
    record.input_tokens = 10;
    record.output_tokens = 10;
    return record;
}

TEST(ManualLabel, ReadsTheNamesOfBothDocuments) {
    const auto rubric = read(R"({"sample_id":"q1","repeat":2,"accuracy_score":2,
        "faithfulness_score":1,"rationale":"fine"})");
    ASSERT_TRUE(rubric) << rubric.error().message;
    EXPECT_EQ(*rubric, (ManualLabel{"q1", 2, 2, 1, {}, "fine", {}}));
    const auto spec = read(R"({"sample_id":7,"correctness_score":0,"faithfulness_score":0,
        "hallucination_score":2,"evaluator_notes":"made up","failure_label":"hallucinated_fact"})");
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(*spec,
              (ManualLabel{"7", {}, 0, 0, 2, "made up", job::FailureLabel::hallucinated_fact}));
}

TEST(ManualLabel, SaysWhatIsWrongWithALine) {
    EXPECT_THAT(refusal(R"({"sample_id":"a","faithfulness_score":1})"),
                HasSubstr("\"accuracy_score\" or \"correctness_score\" is required"));
    EXPECT_THAT(refusal(R"({"sample_id":"a","accuracy_score":1})"),
                HasSubstr("\"faithfulness_score\" is required"));
    EXPECT_THAT(refusal(R"({"accuracy_score":1,"faithfulness_score":1})"),
                HasSubstr("\"sample_id\" is required"));
    EXPECT_THAT(refusal(R"({"sample_id":"a","accuracy_score":3,"faithfulness_score":1})"),
                HasSubstr("accuracy_score: expected a number from 0 to 2"));
    EXPECT_THAT(refusal(R"({"sample_id":"a","accuracy_score":1.5,"faithfulness_score":1})"),
                HasSubstr("accuracy_score"));
    EXPECT_THAT(
        refusal(
            R"({"sample_id":"a","accuracy_score":1,"correctness_score":2,"faithfulness_score":1})"),
        HasSubstr("correctness_score: differs from its other name"));
    EXPECT_THAT(refusal(R"({"sample_id":"a","acuracy_score":1,"faithfulness_score":1})"),
                HasSubstr("did you mean \"accuracy_score\""));
    EXPECT_THAT(
        refusal(
            R"({"sample_id":"a","accuracy_score":1,"faithfulness_score":1,"failure_label":"bad"})"),
        HasSubstr("failure_label: expected one of"));
    EXPECT_THAT(
        refusal(R"({"sample_id":"a","repeat":0,"accuracy_score":1,"faithfulness_score":1})"),
        HasSubstr("repeat"));
}

TEST(ManualLabel, ReadsBackWhatWasWritten) {
    const ManualLabel label{"q1", 3, 2, 1, 0, "why", job::FailureLabel::other};
    std::string text;
    json::Writer writer(text);
    write(writer, label);
    EXPECT_EQ(read(text).value(), label);
}

TEST(ManualLabel, OfARepeatComesBeforeTheOneForAll) {
    const std::vector<ManualLabel> labels{{"a", {}, 1, 1, {}, {}, {}}, {"a", 2, 2, 2, {}, {}, {}}};
    EXPECT_EQ(find_label(labels, 1), &labels[0]);
    EXPECT_EQ(find_label(labels, 2), &labels[1]);
    EXPECT_EQ(find_label(std::span(labels).subspan(1), 1), nullptr);
}

TEST(ManualLabel, ScoresATrialAsAJudgeWould) {
    const ManualLabel label{"a", {}, 0, 2, 2, "no", {}};
    job::TrialRecord record = answered();
    record.evaluator_error = job::EvaluatorError::parse_error;
    record.evaluator_raw_output = "what a judge said";
    record.evaluator_attempts = 2;
    apply(&label, record);
    derive(record, {});
    EXPECT_EQ(record.correctness_score, 0);
    EXPECT_EQ(record.hallucination_source, job::HallucinationSource::judge);
    EXPECT_EQ(record.failure_label, job::FailureLabel::hallucinated_fact);
    EXPECT_EQ(record.rationale, "no");
    EXPECT_FALSE(record.evaluator_error || record.evaluator_raw_output ||
                 record.evaluator_attempts);
    EXPECT_TRUE(record.sample_score);
}

TEST(ManualLabel, WithoutHallucinationDerivesIt) {
    const ManualLabel label{"a", {}, 2, 2, {}, {}, {}};
    job::TrialRecord record = answered();
    apply(&label, record);
    derive(record, {});
    EXPECT_EQ(record.hallucination_score, 0);
    EXPECT_EQ(record.hallucination_source, job::HallucinationSource::derived);
    EXPECT_TRUE(record.rubric_passed);
}

TEST(ManualLabel, ThatIsMissingLeavesTheTrialUnscored) {
    job::TrialRecord record = answered();
    record.correctness_score = 2;
    record.faithfulness_score = 2;
    apply(nullptr, record);
    derive(record, {});
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::missing_label);
    EXPECT_FALSE(record.correctness_score);
    EXPECT_FALSE(record.sample_score);
    EXPECT_FALSE(record.rubric_passed);
}

}  // namespace
}  // namespace evalfleet::scoring
