#pragma once

#include "common/job/vocabulary.hpp"

#include <optional>
#include <string_view>

namespace evalfleet::simulator {

/// What a judge's prompt asks about. The views point into the prompt.
struct JudgePrompt {
    job::EvaluatorProfile profile = job::EvaluatorProfile::rubric_v1;
    std::string_view task;
    std::string_view reference_answer;
    std::string_view provided_context;
    std::string_view candidate_answer;
};

/// Recognises a prompt that was made of one of the evaluator's templates and takes it apart.
[[nodiscard]] std::optional<JudgePrompt> read_judge_prompt(std::string_view prompt);

}  // namespace evalfleet::simulator
