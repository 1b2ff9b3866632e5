#include "common/job/trial_record_json.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<TrialRecord> parse(std::string_view json, UnknownMembers* unknown = nullptr) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    return read_trial_record(document->root(), unknown);
}

std::string refusal(const std::string& member) {
    const auto record = parse(R"({"sample_index": 0, "repeat": 1, )" + member + "}");
    return record ? "accepted" : record.error().message;
}

TrialRecord full_record() {
    TrialRecord record;
    record.run_id = "r";
    record.sample_id = "s\n\xC3\xA9";
    record.sample_index = 7;
    record.repeat = 3;
    record.task_type = "qa";
    record.tags = {{"lang", "en"}, {"", ""}};
    record.answer = std::string("a\0b", 3);
    record.attempts = 2;
    record.deliveries = 4;
    record.setbacks = {{"connect", 1}, {"http_429", 2}};
    record.http_status = 200;
    record.error_kind = CallError::http_429;
    record.timed_out = true;
    record.latency_e2e_ms = 0.1;
    record.latency_model_source = LatencySource::first_to_last_byte;
    record.input_tokens = 9007199254740992;
    record.reasoning_tokens = 7;
    record.worker_environment = "region=eu";
    record.timing.round_trip_ms = 0.25;
    record.tokens_source = TokensSource::estimated;
    record.output_input_ratio = 1.0 / 3;
    record.estimated_cache_savings_usd = -1e-9;
    record.correctness_score = 1;
    record.hallucination_source = HallucinationSource::judge;
    record.rationale = "because";
    record.evaluator_error = EvaluatorError::call_error;
    record.format_check_passed = false;
    record.sample_score = 0.0;
    record.spec_passed = true;
    record.failure_label = FailureLabel::other;
    record.failure_labels_secondary = {FailureLabel::incorrect_answer,
                                       FailureLabel::hallucinated_fact};
    return record;
}

TEST(TrialRecordJson, ReadsBackWhatItWrites) {
    const TrialRecord record = full_record();
    EXPECT_EQ(parse(to_json(record)).value(), record);
    EXPECT_EQ(to_json(parse(to_json(record)).value()), to_json(record));
}

TEST(TrialRecordJson, WritesBothDocumentsNames) {
    const std::string json = to_json(full_record());
    for (const char* const member :
         {R"("accuracy_score":1)", R"("correctness_score":1)", R"("rationale":"because")",
          R"("evaluator_notes":"because")", R"("token_efficiency_ratio":0.3333333333333333)",
          R"("output_input_ratio":0.3333333333333333)", R"("evaluation_schema_version":"1.1")"}) {
        EXPECT_THAT(json, HasSubstr(member));
    }
}

TEST(TrialRecordJson, WritesTheUnknownAsNull) {
    EXPECT_THAT(to_json(TrialRecord{}), HasSubstr(R"("latency_e2e_ms":null)"));
    EXPECT_THAT(to_json(TrialRecord{}), HasSubstr(R"("failure_labels_secondary":[])"));
}

TEST(TrialRecordJson, TakesAbsentAndNullMembersAsTheirDefaults) {
    TrialRecord expected;
    EXPECT_EQ(parse(R"({"sample_index": 0, "repeat": 1})").value(), expected);
    EXPECT_EQ(parse(R"({"repeat": 1, "sample_index": 0, "task_type": null, "tags": null,
                        "timed_out": null, "answer": null, "accuracy_score": null,
                        "evaluation_schema_version": null})")
                  .value(),
              expected);
}

TEST(TrialRecordJson, TakesAScoreFromWhicheverNameIsGivenAndTheRubricsFirst) {
    const auto score = [](const std::string& members) {
        return parse(R"({"sample_index": 0, "repeat": 1, )" + members + "}")
            .value()
            .correctness_score;
    };
    EXPECT_EQ(score(R"("correctness_score": 2)"), 2);
    EXPECT_EQ(score(R"("correctness_score": 2, "accuracy_score": null)"), 2);
    EXPECT_EQ(score(R"("correctness_score": 2, "accuracy_score": 1)"), 1);
    EXPECT_EQ(score(R"("accuracy_score": 1, "correctness_score": 2)"), 1);
    EXPECT_EQ(score(R"("accuracy_score": 1.0)"), 1);
}

TEST(TrialRecordJson, NamesThePathOfAWrongMember) {
    EXPECT_EQ(refusal(R"("latency_e2e_ms": "5")"),
              "latency_e2e_ms: expected a number, found string \"5\"");
    EXPECT_THAT(refusal(R"("accuracy_score": 3)"),
                HasSubstr("accuracy_score: expected a number from"));
    EXPECT_THAT(refusal(R"("correctness_score": 1.5)"), HasSubstr("correctness_score: "));
    EXPECT_THAT(refusal(R"("tags": {"a": 1})"), HasSubstr("tags.a: expected a string, found 1"));
    EXPECT_THAT(refusal(R"("error_kind": "boom")"),
                HasSubstr("error_kind: expected one of timeout, "));
    EXPECT_THAT(refusal(R"("hallucination_source": "model")"), HasSubstr("judge, derived"));
    EXPECT_THAT(refusal(R"("failure_labels_secondary": ["x"])"),
                HasSubstr("failure_labels_secondary[0]: "));
    EXPECT_THAT(refusal(R"("input_tokens": -1)"), HasSubstr("input_tokens: "));
    EXPECT_THAT(refusal(R"("timed_out": 0)"), HasSubstr("timed_out: expected true or false"));
    EXPECT_THAT(refusal(R"("evaluation_schema_version": "2.0")"), HasSubstr("\"2.0\""));
}

TEST(TrialRecordJson, AsksForTheIdentity) {
    EXPECT_THAT(parse(R"({"repeat": 1})").error().message,
                HasSubstr("\"sample_index\" is required"));
    EXPECT_THAT(parse(R"({"sample_index": 1})").error().message,
                HasSubstr("\"repeat\" is required"));
    EXPECT_FALSE(parse(R"({"sample_index": 1, "repeat": 0})"));
    EXPECT_FALSE(parse(R"({"sample_index": -1, "repeat": 1})"));
    EXPECT_FALSE(parse("[]"));
}

TEST(TrialRecordJson, KeepsUnknownMembersOnlyForWhoAsks) {
    constexpr const char* kJson =
        R"({"sample_index": 0, "zebra": [1, {"b": 2.50, "a": 18446744073709551615}], "repeat": 1,
            "alpha": "\u00e9"})";
    UnknownMembers unknown;
    const auto record = parse(kJson, &unknown);
    ASSERT_TRUE(record);
    EXPECT_THAT(unknown, ElementsAre(Pair("zebra", R"([1,{"b":2.5,"a":18446744073709551615}])"),
                                     Pair("alpha", "\"\xC3\xA9\"")));
    std::string out;
    json::Writer writer(out);
    write(writer, *record, unknown);
    EXPECT_THAT(out, HasSubstr("\"failure_labels_secondary\":[],\"zebra\":[1,{\"b\":2.5,"));
    EXPECT_TRUE(parse(kJson));
}

}  // namespace
}  // namespace evalfleet::job
