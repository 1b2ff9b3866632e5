#include "cli/simulator/chat_request.hpp"

#include "cli/simulator/draw.hpp"
#include "common/job/image.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::simulator {

ChatRequest::ChatRequest(std::string model_name)
    : model(std::move(model_name)), key(stable_hash(model)) {}

void ChatRequest::add(std::string_view role, std::string text) {
    key = combine(combine(key, stable_hash(role)), stable_hash(text));
    input_bytes += text.size();
    last_role = role;
    last_text = text;
    if (role == "user") prompt = std::move(text);
}

namespace {

/// A picture as a request has it.
struct Picture {
    std::string_view base64;
    std::string media_type{};  ///< empty: not said
};

Result<Picture> read_data_url(json::Value url) {
    const auto text = url.as_string();
    if (!text) return text.error();
    const auto type_end = text->find(";base64,");
    if (!text->starts_with("data:") || type_end == std::string_view::npos)
        return url.error("is no data URL, and nothing is downloaded here");
    return Picture{text->substr(type_end + 8), std::string(text->substr(5, type_end - 5))};
}

/// By member names: that of the picture, its type, its bytes.
Result<Picture> read_members(json::Value object, const char* type, const char* bytes,
                             std::string_view prefix = "") {
    const auto media_type = object.get<std::string_view>(type);
    if (!media_type) return media_type.error();
    const auto base64 = object.get<std::string_view>(bytes);
    if (!base64) return base64.error();
    return Picture{*base64, std::string(prefix) + std::string(*media_type)};
}

Result<Picture> read_bedrock_image(json::Value image) {
    const auto source = image.required("source");
    if (!source) return source.error();
    const auto format = image.get<std::string>("format");
    if (!format) return format.error();
    const auto base64 = source->get<std::string_view>("bytes");
    if (!base64) return base64.error();
    return Picture{*base64, "image/" + *format};
}

/// The picture of a part, in the shape of whichever protocol; nothing if it has none.
Result<std::optional<Picture>> find_picture(json::Value part) {
    const auto given = [](Result<Picture> picture) -> Result<std::optional<Picture>> {
        if (!picture) return picture.error();
        return std::optional(std::move(*picture));
    };
    if (const auto url = part.find("image_url")) {
        if (!url->is_object()) return given(read_data_url(*url));
        const auto inner = url->required("url");
        return inner ? given(read_data_url(*inner)) : Result<std::optional<Picture>>(inner.error());
    }
    if (const auto data = part.find("inlineData"))
        return given(read_members(*data, "mimeType", "data"));
    if (const auto image = part.find("image")) return given(read_bedrock_image(*image));
    if (const auto source = part.find("source"))
        return given(read_members(*source, "media_type", "data"));
    return std::optional<Picture>();
}

/// What stands for it in a sample's text, too.
Result<std::string> show(json::Value place, const Picture& picture) {
    const auto bytes = job::from_base64(picture.base64);
    if (!bytes) return place.error(bytes.error().message);
    const auto image = job::make_image(*bytes);
    if (!image) return place.error("Could not process image: " + image.error().message);
    if (!picture.media_type.empty() && picture.media_type != image->media_type)
        return place.error("the image was said to be " + picture.media_type +
                           " but appears to be " + image->media_type);
    return job::describe(*image);
}

void add_line(std::string& text, const std::string& line) {
    if (!text.empty()) text += '\n';
    text += line;
}

/// Ollama has pictures beside the text.
Status add_images(json::Value message, std::string& text) {
    const auto images = message.find("images");
    if (!images || images->is_null()) return {};
    const auto list = images->as_array();
    if (!list) return list.error();
    for (const json::Value item : *list) {
        const auto base64 = item.as_string();
        if (!base64) return base64.error();
        auto shown = show(item, Picture{*base64});
        if (!shown) return shown.error();
        add_line(text, *shown);
    }
    return {};
}

Status read_message(json::Value message, ChatRequest& request, Roles roles) {
    const auto role = message.get<std::string_view>("role");
    if (!role) return role.error();
    if (std::find(roles.begin(), roles.end(), *role) == roles.end())
        return message.required("role")->unexpected("a role of this protocol");
    const auto content = message.find("content");
    const bool calls = message.find("tool_calls").has_value();
    if (!calls && !content) return message.required("content").error();
    if (!calls && content->is_null()) return content->unexpected("a text or a list");
    auto text = content && !content->is_null() ? read_message_text(*content)
                                               : Result<std::string>(std::string());
    if (!text) return text.error();
    if (Status added = add_images(message, *text); !added) return added;
    // A turn of the user that only brings what tools gave asks nothing new.
    const std::string_view who = *role == "user" && text->empty() ? "tool" : *role;
    request.add(who, std::move(*text));
    return {};
}

}  // namespace

Result<std::string> read_message_text(json::Value content) {
    if (!content.is_array()) return content.as<std::string>();
    std::string text;
    bool after_picture = false;
    for (const json::Value part : *content.as_array()) {
        const auto picture = find_picture(part);
        if (!picture) return picture.error();
        if (*picture) {
            auto shown = show(part, **picture);
            if (!shown) return shown.error();
            add_line(text, *shown);
            after_picture = true;
            continue;
        }
        const auto piece = part.optional<std::string>("text");
        if (!piece) return piece.error();
        if (!*piece) continue;
        after_picture ? add_line(text, **piece) : static_cast<void>(text += **piece);
        after_picture = false;
    }
    return text;
}

Status read_messages(json::Value body, ChatRequest& request, Roles roles) {
    const auto messages = body.get<json::Array>("messages");
    if (!messages) return messages.error();
    if (messages->empty()) return messages->value().error("expected at least one message");
    for (const json::Value message : *messages) {
        if (Status read = read_message(message, request, roles); !read) return read;
    }
    return {};
}

void take_prefill(ChatRequest& request) {
    if (request.last_role == "assistant") request.prefill = request.last_text;
}

}  // namespace evalfleet::simulator
