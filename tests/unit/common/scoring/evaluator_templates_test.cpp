#include "common/scoring/evaluator_templates.hpp"

#include "common/job/manifest.hpp"
#include "common/scoring/evaluator_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using job::EvaluatorProfile;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(EvaluatorTemplates, HaveTheRubricsTextByteForByte) {
    EXPECT_EQ(job::sha256_hex(evaluator_template(EvaluatorProfile::rubric_v1).text()),
              "2f0450df19818e3bab9f3f5bc753fb3eb791430370b26e058a316b84ea548e11");
}

TEST(EvaluatorTemplates, NameTheSameInputsInBothProfiles) {
    for (const auto profile : {EvaluatorProfile::rubric_v1, EvaluatorProfile::spec_v1}) {
        EXPECT_THAT(
            evaluator_template(profile).names(),
            ElementsAre("task", "reference_answer", "provided_context", "candidate_answer"));
    }
}

TEST(EvaluatorTemplates, AskTheJudgeForEveryLabelOfTheSpecification) {
    const std::string& text = evaluator_template(EvaluatorProfile::spec_v1).text();
    for (const char* const key : {"correctness_score", "faithfulness_score", "hallucination_score",
                                  "evaluator_notes", "failure_label"}) {
        EXPECT_THAT(text, HasSubstr(key));
    }
    for (const char* const scale :
         {"\"correctness_score\": 0|1|2", "\"faithfulness_score\": 0|1|2",
          "\"hallucination_score\": 0|1|2", "for hallucination_score 0 is best and 2 is worst"}) {
        EXPECT_THAT(text, HasSubstr(scale));
    }
    for (const std::string_view label : job::Names<job::FailureLabel>::values) {
        EXPECT_THAT(text, HasSubstr(std::string(label)));
    }
}

TEST(EvaluatorPrompt, GivesTheJudgeTaskReferenceContextAndCandidate) {
    const std::string prompt = evaluator_prompt(EvaluatorProfile::rubric_v1, {"t", "r", "c", "a"});
    EXPECT_THAT(prompt, HasSubstr("- task: t\n- reference_answer: r\n"
                                  "- provided_context: c\n- candidate_answer: a\n"));
}

TEST(EvaluatorPrompt, LeavesWhatIsMissingEmptyAndInsertsTextAsItIs) {
    const std::string prompt = evaluator_prompt(EvaluatorProfile::rubric_v1,
                                                {"{{candidate_answer}}", std::nullopt, "c", "a"});
    EXPECT_THAT(prompt, HasSubstr("- task: {{candidate_answer}}\n- reference_answer: \n"
                                  "- provided_context: c\n- candidate_answer: a\n"));
}

}  // namespace
}  // namespace evalfleet::scoring
