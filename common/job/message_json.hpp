#pragma once

#include "common/job/field_values.hpp"
#include "common/job/message.hpp"

namespace evalfleet::job {

/// A message as OpenAI's chats have it: `role`, `content` (a text, or a list of parts of type
/// `text` and `image_url`), `tool_calls` and `tool_call_id`. Members we do not know are skipped.
template <>
struct Codec<Message> {
    static Status read(json::Value value, Message& out, Strictness strictness);
    static void write(json::Writer& writer, const Message& message);
};

/// What people read of a message that is made of these.
[[nodiscard]] std::string text_of(const std::vector<ContentPart>& parts);

/// Whether each message of a chat may stand where it does: calls belong to assistants, and a tool
/// answers a call that was made before. `list` is where they came from, for the error's path.
[[nodiscard]] Status check_messages(json::Value list, const std::vector<Message>& messages);

}  // namespace evalfleet::job
