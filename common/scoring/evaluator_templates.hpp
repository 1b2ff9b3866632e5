#pragma once

#include "common/job/vocabulary.hpp"
#include "common/scoring/prompt_template.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// The prompt that asks the judge for a profile's labels. `rubric-v1` is the Rubric's template byte
/// for byte; a changed prompt is a new profile, since its hash is part of a run's identity.
/// Placeholders: task, reference_answer, provided_context, candidate_answer, and in the profiles
/// for chats conversation.
[[nodiscard]] const PromptTemplate& evaluator_template(job::EvaluatorProfile profile);

/// What the judge gets to see of a trial.
struct EvaluatorInputs {
    std::string_view task;
    std::optional<std::string_view> reference_answer;
    std::optional<std::string_view> provided_context;
    std::string_view candidate_answer;
    std::string_view conversation{};  ///< all turns of a sample that is a chat
};

/// The filled-in prompt.
[[nodiscard]] std::string evaluator_prompt(job::EvaluatorProfile profile,
                                           const EvaluatorInputs& inputs);

}  // namespace evalfleet::scoring
