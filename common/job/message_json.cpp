#include "common/job/message_json.hpp"

#include "common/job/image.hpp"
#include "common/job/json_copy.hpp"
#include "common/json/document.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::job {

namespace {

Result<ContentPart> read_image_part(json::Value part) {
    const auto member = part.required("image_url");
    if (!member) return member.error();
    const auto url =
        member->is_object() ? member->get<std::string_view>("url") : member->as_string();
    if (!url) return url.error();
    auto image = read_image_url(*url);
    if (!image) return member->error(image.error().message);
    const auto detail = member->is_object() ? member->optional<std::string>("detail")
                                            : Result<std::optional<std::string>>(std::nullopt);
    if (!detail) return detail.error();
    image->detail = *detail;
    return ContentPart{.image = std::move(*image)};
}

Result<ContentPart> read_part(json::Value part) {
    const auto type = part.get<std::string_view>("type");
    if (!type) return type.error();
    if (*type == "image_url") return read_image_part(part);
    if (*type != "text") return part.required("type")->unexpected("\"text\" or \"image_url\"");
    auto text = part.get<std::string>("text");
    if (!text) return text.error();
    return ContentPart{.text = std::move(*text)};
}

Status read_content(json::Value value, Message& message) {
    if (!value.is_array()) return Codec<std::string>::read(value, message.content, {});
    std::vector<ContentPart> parts;
    for (const json::Value item : *value.as_array()) {
        auto part = read_part(item);
        if (!part) return part.error();
        parts.push_back(std::move(*part));
    }
    if (parts.empty()) return value.unexpected("something that is not empty");
    message.content = text_of(parts);
    const bool has_image = std::any_of(
        parts.begin(), parts.end(), [](const ContentPart& part) { return part.image.has_value(); });
    // A list of texts is a text: not every server takes lists.
    if (has_image) message.parts = std::move(parts);
    return {};
}

/// A text that is JSON, as OpenAI has it, or the object itself.
Result<std::string> read_arguments(json::Value value) {
    if (value.is_object()) return json_text(value);
    const auto text = value.as_string();
    if (!text) return value.unexpected("an object, or a text that is one");
    const auto document = json::Document::parse(*text);
    if (!document || !document->root().is_object())
        return value.unexpected("an object, or a text that is one");
    return std::string(*text);
}

Result<ToolCall> read_call(json::Value value) {
    ToolCall call;
    auto id = value.get<std::string>("id");
    if (!id) return id.error();
    call.id = std::move(*id);
    const auto function = value.required("function");
    if (!function) return function.error();
    auto name = function->get<std::string>("name");
    if (!name) return name.error();
    call.name = std::move(*name);
    const auto arguments = function->required("arguments");
    if (!arguments) return arguments.error();
    auto text = read_arguments(*arguments);
    if (!text) return text.error();
    call.arguments = std::move(*text);
    return call;
}

Status read_calls(json::Value list, Message& message) {
    const auto items = list.as_array();
    if (!items) return items.error();
    for (const json::Value item : *items) {
        auto call = read_call(item);
        if (!call) return call.error();
        message.tool_calls.push_back(std::move(*call));
    }
    return {};
}

void write_part(json::Writer& writer, const ContentPart& part) {
    writer.begin_object();
    if (part.image) {
        writer.member("type", "image_url").key("image_url").begin_object();
        writer.member("url", image_url(*part.image));
        if (part.image->detail) writer.member("detail", *part.image->detail);
        writer.end_object();
    } else {
        writer.member("type", "text").member("text", part.text);
    }
    writer.end_object();
}

void write_content(json::Writer& writer, const Message& message) {
    writer.key("content");
    if (message.parts.empty()) {
        writer.value(message.content);
        return;
    }
    writer.begin_array();
    for (const ContentPart& part : message.parts)
        write_part(writer, part);
    writer.end_array();
}

void write_calls(json::Writer& writer, const std::vector<ToolCall>& calls) {
    writer.key("tool_calls").begin_array();
    for (const ToolCall& call : calls) {
        writer.begin_object().member("id", call.id).member("type", "function");
        writer.key("function").begin_object().member("name", call.name);
        writer.member("arguments", call.arguments).end_object().end_object();
    }
    writer.end_array();
}

/// The value of a member that is there and not null.
std::optional<json::Value> given(json::Value object, std::string_view name) {
    const auto member = object.find(name);
    return member && !member->is_null() ? member : std::nullopt;
}

}  // namespace

std::string text_of(const std::vector<ContentPart>& parts) {
    std::string text;
    for (const ContentPart& part : parts) {
        if (&part != &parts.front()) text += '\n';
        text += part.image ? describe(*part.image) : part.text;
    }
    return text;
}

Status Codec<Message>::read(json::Value value, Message& out, Strictness strictness) {
    out = {};
    const auto role = value.required("role");
    if (!role) return role.error();
    if (Status read = Codec<MessageRole>::read(*role, out.role, strictness); !read) return read;
    if (const auto calls = given(value, "tool_calls")) {
        if (Status read = read_calls(*calls, out); !read) return read;
    }
    if (const auto id = given(value, "tool_call_id")) {
        Status read = Codec<std::string>::read(*id, out.tool_call_id.emplace(), strictness);
        if (!read) return read;
    }
    if (const auto content = given(value, "content")) return read_content(*content, out);
    // An assistant that only called a function said nothing.
    if (!out.tool_calls.empty()) return {};
    return value.error("\"content\" is required but missing");
}

void Codec<Message>::write(json::Writer& writer, const Message& message) {
    writer.begin_object().member("role", to_string(message.role));
    write_content(writer, message);
    if (!message.tool_calls.empty()) write_calls(writer, message.tool_calls);
    if (message.tool_call_id) writer.member("tool_call_id", *message.tool_call_id);
    writer.end_object();
}

std::string shown_text(const Message& message) {
    std::string text = message.content;
    for (const ToolCall& call : message.tool_calls)
        text += fmt::format("{}[calls {} with {}]", text.empty() ? "" : "\n", call.name,
                            call.arguments);
    return text;
}

const ToolCall* find_answered_call(const std::vector<Message>& messages, std::size_t index) {
    const auto& id = messages[index].tool_call_id;
    if (!id) return nullptr;
    for (std::size_t i = index; i-- > 0;) {
        for (const ToolCall& call : messages[i].tool_calls)
            if (call.id == *id) return &call;
    }
    return nullptr;
}

Status check_messages(json::Value list, const std::vector<Message>& messages) {
    std::size_t index = 0;
    for (const json::Value value : *list.as_array()) {
        const Message& message = messages[index];
        if (!message.tool_calls.empty() && message.role != MessageRole::assistant)
            return value.error("only an assistant's message has \"tool_calls\"");
        if (message.tool_call_id && message.role != MessageRole::tool)
            return value.error("only a tool's message has \"tool_call_id\"");
        if (message.tool_call_id && find_answered_call(messages, index) == nullptr)
            return value.required("tool_call_id")
                ->unexpected("the id of one of \"tool_calls\" before");
        if (message.has_images() && message.role != MessageRole::user)
            return value.error("only a user's message has images");
        ++index;
    }
    return {};
}

}  // namespace evalfleet::job
