#pragma once

#include "common/job/run_metadata.hpp"
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

/// What a run asks its model with, by what is written down of its template. Pure.
[[nodiscard]] std::vector<job::Message> prompt_of(const job::PromptTemplateInfo& prompt,
                                                  const job::Sample& sample);

}  // namespace evalfleet::scoring
