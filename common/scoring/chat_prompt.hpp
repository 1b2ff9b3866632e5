#pragma once

#include "common/job/sample.hpp"
#include "common/scoring/prompt_template.hpp"

#include <optional>
#include <vector>

namespace evalfleet::scoring {

/// What a model is asked with: the rendered template, or the sample's own chat. The system prompt
/// goes first unless the chat has one. Pure.
[[nodiscard]] std::vector<job::Message> render_chat(const std::optional<PromptTemplate>& system,
                                                    const PromptTemplate& text,
                                                    const job::Sample& sample);

}  // namespace evalfleet::scoring
