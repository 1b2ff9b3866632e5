#include "cli/simulator/judge.hpp"

#include "common/scoring/evaluator_reply.hpp"
#include "common/scoring/evaluator_templates.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using job::EvaluatorProfile;

std::string prompt_of(EvaluatorProfile profile, std::string_view reference,
                      std::string_view context, std::string_view answer) {
    return scoring::evaluator_prompt(profile, {"How deep?", reference, context, answer});
}

Verdict verdict_of(std::string_view reference, std::string_view context, std::string_view answer) {
    const std::string prompt = prompt_of(EvaluatorProfile::rubric_v1, reference, context, answer);
    return judge(read_judge_prompt(prompt).value());
}

TEST(JudgePrompt, IsRecognisedAndTakenApart) {
    for (const auto profile : {EvaluatorProfile::rubric_v1, EvaluatorProfile::spec_v1}) {
        const std::string prompt = prompt_of(profile, "ref\nerence", "", "the {{answer}}");
        const auto read = read_judge_prompt(prompt);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->profile, profile);
        EXPECT_EQ(read->task, "How deep?");
        EXPECT_EQ(read->reference_answer, "ref\nerence");
        EXPECT_EQ(read->provided_context, "");
        EXPECT_EQ(read->candidate_answer, "the {{answer}}");
    }
}

TEST(JudgePrompt, IsNotSeenInOrdinaryPrompts) {
    EXPECT_FALSE(read_judge_prompt(""));
    EXPECT_FALSE(read_judge_prompt("You are a strict evaluation judge. What is 1 + 1?"));
    std::string cut = prompt_of(EvaluatorProfile::rubric_v1, "a", "b", "c");
    cut.pop_back();
    EXPECT_FALSE(read_judge_prompt(cut));
}

TEST(Judge, ScoresByWhatAnswerAndReferenceShare) {
    EXPECT_EQ(verdict_of("6.2 metres", "It is 6.2 metres deep.", "6.2 metres"), (Verdict{2, 2}));
    EXPECT_EQ(verdict_of("6.2 metres", "It is 6.2 metres deep.", "It is 6.2 METRES!"),
              (Verdict{2, 2}));
    EXPECT_EQ(verdict_of("red and blue and green stones", "", "red and"), (Verdict{1, 2}));
    EXPECT_EQ(verdict_of("6.2 metres", "It is 6.2 metres deep.", "Nobody knows, says Quillfeather"),
              (Verdict{0, 0}));
    EXPECT_EQ(verdict_of("6.2 metres", "", ""), (Verdict{0, 2}));
}

TEST(Judge, RepliesAsEachProfileAsks) {
    for (const auto profile : {EvaluatorProfile::rubric_v1, EvaluatorProfile::spec_v1}) {
        const std::string prompt = prompt_of(profile, "yes", "yes", "yes");
        const std::string reply =
            judge_reply(read_judge_prompt(prompt).value(), SimulatorConfig{}, Draw(1));
        const auto parsed = scoring::parse_evaluator_reply(reply, profile);
        ASSERT_TRUE(parsed) << reply;
        EXPECT_EQ(parsed->correctness_score, 2);
        EXPECT_EQ(parsed->faithfulness_score, 2);
        EXPECT_EQ(parsed->hallucination_score, 0);
    }
}

TEST(Judge, ObeysOrders) {
    const std::string prompt = prompt_of(EvaluatorProfile::rubric_v1, "yes", "yes", "yes");
    const JudgePrompt read = read_judge_prompt(prompt).value();
    const auto reply = [&](const std::string& order) {
        return scoring::parse_evaluator_reply(judge_reply(read, {}, Draw(1), order),
                                              EvaluatorProfile::rubric_v1);
    };
    EXPECT_FALSE(reply("malformed"));
    EXPECT_FALSE(reply("prose"));
    EXPECT_EQ(reply("1/0").value().correctness_score, 1);
    EXPECT_EQ(reply("1/0").value().faithfulness_score, 0);
    EXPECT_EQ(reply("0").value().faithfulness_score, 0);
}

TEST(Judge, IsNoisyAndMalformedAsOftenAsConfigured) {
    const std::string prompt = prompt_of(EvaluatorProfile::rubric_v1, "yes", "yes", "yes");
    const JudgePrompt read = read_judge_prompt(prompt).value();
    SimulatorConfig config;
    config.judge_noise = 0.3;
    config.judge_malformed = 0.2;
    int malformed = 0, shifted = 0;
    constexpr int kReplies = 2000;
    for (std::uint64_t i = 0; i < kReplies; ++i) {
        const auto parsed = scoring::parse_evaluator_reply(
            judge_reply(read, config, Draw(combine(7, i))), EvaluatorProfile::rubric_v1);
        malformed += parsed ? 0 : 1;
        shifted += parsed && parsed->correctness_score + parsed->faithfulness_score == 3 ? 1 : 0;
    }
    EXPECT_NEAR(malformed, 0.2 * kReplies, 80);
    EXPECT_NEAR(shifted, 0.8 * 0.3 * kReplies, 80);
}

}  // namespace
}  // namespace evalfleet::simulator
