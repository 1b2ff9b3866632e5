#include "worker/providers/chat_turns.hpp"

namespace evalfleet::worker {

using job::MessageRole;

std::vector<Turn> turns_of(const ModelRequest& request) {
    std::vector<Turn> turns;
    bool after_tool = false;
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const MessageRole role = request.messages[i].role;
        if (job::is_instruction(role)) continue;
        const bool is_assistant = role == MessageRole::assistant;
        if (after_tool && !is_assistant)
            turns.back().messages.push_back(i);
        else
            turns.push_back({is_assistant, {i}});
        after_tool = role == MessageRole::tool;
    }
    return turns;
}

std::string join_instructions(const ModelRequest& request) {
    std::string text;
    for (const job::Message& message : request.messages) {
        if (!job::is_instruction(message.role)) continue;
        text += (text.empty() ? "" : "\n\n") + message.content;
    }
    return text;
}

}  // namespace evalfleet::worker
