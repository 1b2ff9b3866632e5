#include "common/scoring/evaluator_reply.hpp"

#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using job::EvaluatorProfile;
using job::RationaleLimit;

auto parse(std::string_view reply, EvaluatorProfile profile = EvaluatorProfile::rubric_v1,
           RationaleLimit limit = RationaleLimit::reject) {
    return parse_evaluator_reply(reply, profile, limit);
}

std::string reply_with(std::string_view rationale) {
    return R"({"accuracy_score": 1, "faithfulness_score": 0, "rationale": ")" +
           std::string(rationale) + "\"}";
}

std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "w ";
    return text;
}

TEST(EvaluatorReply, TakesScoresAndDerivesHallucinationInTheRubricsProfile) {
    const auto reply = parse(reply_with("ok"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->correctness_score, 1);
    EXPECT_EQ(reply->faithfulness_score, 0);
    EXPECT_EQ(reply->hallucination_score, 2);
    EXPECT_EQ(reply->hallucination_source, job::HallucinationSource::derived);
    EXPECT_EQ(reply->rationale, "ok");
}

TEST(EvaluatorReply, SaysWhyItRejects) {
    const auto fault = [](std::string_view text) { return parse(text).error().fault; };
    EXPECT_EQ(fault(""), ReplyFault::malformed_json);
    EXPECT_EQ(fault("[]"), ReplyFault::not_an_object);
    EXPECT_EQ(fault("3"), ReplyFault::not_an_object);
    EXPECT_EQ(fault("{}"), ReplyFault::missing_key);
    EXPECT_EQ(fault(R"({"x":)" + std::string(300, '[') + std::string(300, ']') + "}"),
              ReplyFault::too_deep);
    EXPECT_EQ(fault(reply_with("")), ReplyFault::text_blank);
    EXPECT_EQ(fault(reply_with(words(81))), ReplyFault::text_too_long);
    EXPECT_TRUE(parse(reply_with(words(80))));
    EXPECT_EQ(fault(R"({"accuracy_score":1,"faithfulness_score":0,"rationale":1})"),
              ReplyFault::text_not_a_string);
    EXPECT_EQ(fault(R"({"accuracy_score":"1","faithfulness_score":0,"rationale":"r"})"),
              ReplyFault::invalid_score);
    EXPECT_EQ(fault(R"({"accuracy_score":1,"accuracy_score":1,"faithfulness_score":0,)"
                    R"("rationale":"r"})"),
              ReplyFault::duplicate_key);
}

TEST(EvaluatorReply, NamesTheKeyItRejects) {
    const auto reply = parse(R"({"accuracy_score":3,"faithfulness_score":0,"rationale":"r"})");
    EXPECT_EQ(reply.error().key, "accuracy_score");
    EXPECT_EQ(reply.error().message(), "accuracy_score is not 0, 1 or 2");
}

TEST(EvaluatorReply, ComparesKeysAfterUnescaping) {
    EXPECT_EQ(parse(R"({"accuracy_score":1,"accuracy\u005fscore":1,"faithfulness_score":0,)"
                    R"("rationale":"r"})")
                  .error()
                  .fault,
              ReplyFault::duplicate_key);
}

TEST(EvaluatorReply, TakesOnlyTheExactTokensAsScores) {
    for (const char* const score : {"-0", "0.0", "2e0", "3", "-1", "00", "22", "null", "true",
                                    "[1]", "{}", "\"1\"", "1.", "18446744073709551617"}) {
        const std::string text = std::string(R"({"accuracy_score":)") + score +
                                 R"(,"faithfulness_score":0,"rationale":"r"})";
        EXPECT_FALSE(parse(text)) << score;
        const std::string other = std::string(R"({"accuracy_score":0,"faithfulness_score":)") +
                                  score + R"(,"rationale":"r"})";
        EXPECT_FALSE(parse(other)) << score;
    }
    for (int score = 0; score <= 2; ++score) {
        const std::string text = R"({"accuracy_score":)" + std::to_string(score) +
                                 R"(,"faithfulness_score":)" + std::to_string(2 - score) +
                                 R"(,"rationale":"r"})";
        const auto reply = parse(text);
        ASSERT_TRUE(reply) << score;
        EXPECT_EQ(reply->correctness_score, score);
        EXPECT_EQ(reply->faithfulness_score, 2 - score);
    }
}

TEST(EvaluatorReply, LetsALongRationalePassWithAWarningIfTheRunSaysSo) {
    EXPECT_TRUE(parse(reply_with(words(80))));
    const auto reply =
        parse(reply_with(words(81)), EvaluatorProfile::rubric_v1, RationaleLimit::warn);
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->rationale_too_long);
    EXPECT_FALSE(parse(reply_with(" "), EvaluatorProfile::rubric_v1, RationaleLimit::warn));
}

TEST(EvaluatorReply, IgnoresABadLabelButNotABadScoreInTheSpecificationsProfile) {
    const auto with = [](std::string_view label) {
        return parse(R"({"correctness_score":1,"faithfulness_score":2,"hallucination_score":0,)"
                     R"("evaluator_notes":"n")" +
                         std::string(label) + "}",
                     EvaluatorProfile::spec_v1);
    };
    EXPECT_EQ(with(R"(,"failure_label":"other")")->judge_failure_label, job::FailureLabel::other);
    EXPECT_EQ(with(R"(,"failure_label":"o\u0074her")")->judge_failure_label,
              job::FailureLabel::other);
    for (const char* const label :
         {"", R"(,"failure_label":"Other")", R"(,"failure_label":null)",
          R"(,"failure_label":["other"])", R"(,"failure_label":{"failure_label":"other"})",
          R"(,"failure_label":"other","failure_label":"other")"}) {
        const auto reply = with(label);
        ASSERT_TRUE(reply) << label;
        EXPECT_FALSE(reply->judge_failure_label) << label;
    }
    EXPECT_FALSE(with(R"(,"correctness_score":1)"));
}

TEST(EvaluatorReply, RejectsAReplyOverItsBoundUnread) {
    const std::string huge(kMaxReplyBytes + 1, ' ');
    EXPECT_EQ(parse(huge).error().fault, ReplyFault::too_large);
}

TEST(EvaluatorReply, FillsInARecord) {
    job::TrialRecord record;
    record.evaluator_error = job::EvaluatorError::parse_error;
    apply(*parse(reply_with("ok")), record);
    EXPECT_EQ(record.correctness_score, 1);
    EXPECT_EQ(record.faithfulness_score, 0);
    EXPECT_EQ(record.hallucination_score, 2);
    EXPECT_EQ(record.rationale, "ok");
    EXPECT_FALSE(record.evaluator_error);
}

}  // namespace
}  // namespace evalfleet::scoring
