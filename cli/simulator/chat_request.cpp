#include "cli/simulator/chat_request.hpp"

#include "cli/simulator/draw.hpp"

#include <utility>

namespace evalfleet::simulator {

ChatRequest::ChatRequest(std::string model_name)
    : model(std::move(model_name)), key(stable_hash(model)) {}

void ChatRequest::add(std::string_view role, std::string text) {
    key = combine(combine(key, stable_hash(role)), stable_hash(text));
    input_bytes += text.size();
    if (role == "user") prompt = std::move(text);
}

Result<std::string> read_message_text(json::Value content) {
    if (!content.is_array()) return content.as<std::string>();
    std::string text;
    for (const json::Value part : *content.as_array()) {
        const auto piece = part.optional<std::string_view>("text");
        if (!piece) return piece.error();
        text += piece->value_or("");
    }
    return text;
}

Status read_messages(json::Value body, ChatRequest& request) {
    const auto messages = body.get<json::Array>("messages");
    if (!messages) return messages.error();
    if (messages->empty()) return messages->value().error("expected at least one message");
    for (const json::Value message : *messages) {
        const auto role = message.get<std::string_view>("role");
        if (!role) return role.error();
        const auto content = message.required("content");
        if (!content) return content.error();
        auto text = read_message_text(*content);
        if (!text) return text.error();
        request.add(*role, std::move(*text));
    }
    return {};
}

}  // namespace evalfleet::simulator
