#include "common/scoring/chat_prompt.hpp"

#include <algorithm>

namespace evalfleet::scoring {

namespace {

std::string render(const PromptTemplate& text, const job::Sample& sample) {
    return text.render(
        [&sample](std::string_view name) { return job::template_value(sample, name); });
}

}  // namespace

std::vector<job::Message> render_chat(const std::optional<PromptTemplate>& system,
                                      const PromptTemplate& text, const job::Sample& sample) {
    std::vector<job::Message> messages;
    const bool has_system =
        std::any_of(sample.messages.begin(), sample.messages.end(),
                    [](const job::Message& message) { return job::is_instruction(message.role); });
    if (system && !has_system)
        messages.push_back({job::MessageRole::system, render(*system, sample)});
    if (sample.messages.empty())
        messages.push_back({job::MessageRole::user, render(text, sample)});
    else
        messages.insert(messages.end(), sample.messages.begin(), sample.messages.end());
    return messages;
}

std::vector<job::Message> prompt_of(const job::PromptTemplateInfo& prompt,
                                    const job::Sample& sample) {
    std::optional<PromptTemplate> system;
    if (prompt.system) system.emplace(*prompt.system);
    return render_chat(system, PromptTemplate(prompt.text), sample);
}

}  // namespace evalfleet::scoring
