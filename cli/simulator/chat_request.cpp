#include "cli/simulator/chat_request.hpp"

#include "cli/simulator/draw.hpp"

namespace evalfleet::simulator {

namespace {

/// Text, or a list of parts of which the texts count.
Result<std::string> read_content(json::Value content) {
    if (!content.is_array()) return content.as<std::string>();
    std::string text;
    for (const json::Value part : *content.as_array()) {
        const auto piece = part.get_or<std::string>("text", "");
        if (!piece) return piece.error();
        text += *piece;
    }
    return text;
}

Status read_message(json::Value message, ChatRequest& request) {
    const auto role = message.get<std::string_view>("role");
    if (!role) return role.error();
    const auto member = message.required("content");
    if (!member) return member.error();
    auto content = read_content(*member);
    if (!content) return content.error();
    request.key = combine(combine(request.key, stable_hash(*role)), stable_hash(*content));
    request.input_bytes += content->size();
    if (*role == "user") request.prompt = std::move(*content);
    return {};
}

}  // namespace

Result<ChatRequest> read_chat_request(json::Value body) {
    ChatRequest request;
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    request.model = std::move(*model);
    request.key = stable_hash(request.model);
    const auto messages = body.get<json::Array>("messages");
    if (!messages) return messages.error();
    if (messages->empty()) return messages->value().error("expected at least one message");
    for (const json::Value message : *messages) {
        if (Status read = read_message(message, request); !read) return read.error();
    }
    const auto stream = body.get_or<bool>("stream", false);
    if (!stream) return stream.error();
    request.stream = *stream;
    const char* limit = body.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    const auto max_tokens = body.optional<std::int64_t>(limit);
    if (!max_tokens) return max_tokens.error();
    request.max_tokens = *max_tokens;
    return request;
}

}  // namespace evalfleet::simulator
