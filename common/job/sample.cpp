#include "common/job/sample.hpp"

#include "common/job/fields.hpp"
#include "common/job/json_copy.hpp"
#include "common/job/message_json.hpp"

#include <algorithm>

namespace evalfleet::job {

template <>
struct Codec<ExpectedFormat> {
    static constexpr const char* kAllowed = R"("json", {"json_schema": ...} or {"regex": "..."})";

    static Status read(json::Value value, ExpectedFormat& out, Strictness) {
        if (value.is_string()) {
            if (value.as_string().value() != "json") return value.unexpected(kAllowed);
            out = {};
            return {};
        }
        const auto members = value.as_object();
        if (!members || members->size() != 1) return value.unexpected(kAllowed);
        const auto [key, format] = *members->begin();
        if (key == "json_schema") {
            out = {ExpectedFormat::Kind::json_schema, json_text(format)};
            return {};
        }
        if (key != "regex") return value.unexpected(kAllowed);
        out.kind = ExpectedFormat::Kind::regex;
        return Codec<std::string>::read(format, out.text, Strictness::strict);
    }

    static void write(json::Writer& writer, const ExpectedFormat& format) {
        if (format.kind == ExpectedFormat::Kind::json) {
            writer.value("json");
            return;
        }
        writer.begin_object();
        if (format.kind == ExpectedFormat::Kind::regex) {
            writer.member("regex", format.text);
        } else {
            writer.key("json_schema").raw(format.text);
        }
        writer.end_object();
    }
};

namespace {

/// Datasets often number their samples: an integer is as good an id as a text.
constexpr Field<Sample> kId{
    "id",
    [](json::Value value, Sample& sample, Strictness strictness) -> Status {
        if (value.kind() == json::Kind::integer) {
            sample.id = json_text(value);
            return {};
        }
        Status read = Codec<std::string>::read(value, sample.id, strictness);
        return read ? NotEmpty::check(value, sample.id) : read;
    },
    [](json::Writer& writer, const Sample& sample) { writer.value(sample.id); }};

constexpr std::array kFields{
    kId,
    field<&Sample::task, NotEmpty>("task"),
    field<&Sample::messages, NotEmpty>("messages"),
    field<&Sample::reference_answer>("reference_answer"),
    field<&Sample::context>("context"),
    field<&Sample::task_type>("task_type"),
    field<&Sample::tags>("tags"),
    field<&Sample::expected_format>("expected_format"),
};

/// Fills in `task` from the chat.
Status take_task(json::Value value, Sample& sample) {
    if (sample.messages.empty()) {
        if (!sample.task.empty()) return {};
        return value.error("\"task\" or \"messages\" is required but missing");
    }
    if (!sample.task.empty()) return value.error("has both \"task\" and \"messages\"; give one");
    const auto last =
        std::find_if(sample.messages.rbegin(), sample.messages.rend(),
                     [](const Message& message) { return message.role == MessageRole::user; });
    if (last == sample.messages.rend()) return value.error("\"messages\" has no user message");
    sample.task = last->content;
    return check_messages(*value.find("messages"), sample.messages);
}

}  // namespace

template <>
struct FieldTable<Sample> {
    static std::span<const Field<Sample>> fields() { return kFields; }
};

std::optional<std::string_view> template_value(const Sample& sample,
                                               std::string_view name) noexcept {
    if (name == "id") return sample.id;
    if (name == "task") return sample.task;
    if (name == "reference_answer") return sample.reference_answer;
    if (name == "context") return sample.context;
    if (name == "task_type") return sample.task_type;
    return std::nullopt;
}

Result<Sample> read_sample(json::Value value, std::size_t line_number) {
    Sample sample;
    if (auto read = read_object(value, sample, Strictness::tolerant); !read) return read.error();
    if (auto taken = take_task(value, sample); !taken) return taken.error();
    if (sample.id.empty()) sample.id = std::to_string(line_number);
    return sample;
}

bool ends_in_assistant(const Sample& sample) noexcept {
    return !sample.messages.empty() && sample.messages.back().role == MessageRole::assistant;
}

bool has_images(const Sample& sample) noexcept {
    return std::any_of(sample.messages.begin(), sample.messages.end(),
                       [](const Message& message) { return message.has_images(); });
}

bool has_image_files(const Sample& sample) noexcept {
    const auto is_file = [](const ContentPart& part) {
        return part.image && part.image->base64.empty();
    };
    return std::any_of(sample.messages.begin(), sample.messages.end(), [&](const Message& message) {
        return std::any_of(message.parts.begin(), message.parts.end(), is_file);
    });
}

void refresh_texts(Sample& sample) {
    for (Message& message : sample.messages) {
        if (!message.parts.empty()) message.content = text_of(message.parts);
        if (message.role == MessageRole::user) sample.task = message.content;
    }
}

std::string_view prefill_of(const Sample& sample) noexcept {
    return ends_in_assistant(sample) ? std::string_view(sample.messages.back().content)
                                     : std::string_view();
}

bool take_reference(Sample& sample) {
    const bool can = ends_in_assistant(sample) && !sample.reference_answer &&
                     sample.messages.size() > 1 &&
                     sample.messages[sample.messages.size() - 2].role != MessageRole::assistant &&
                     sample.messages.back().tool_calls.empty();
    if (!can) return false;
    sample.reference_answer = std::move(sample.messages.back().content);
    sample.messages.pop_back();
    return true;
}

std::string conversation_of(const Sample& sample) {
    std::string text;
    const std::size_t turns = sample.messages.size() - (ends_in_assistant(sample) ? 1 : 0);
    for (std::size_t i = 0; i < turns; ++i) {
        const Message& message = sample.messages[i];
        if (i > 0) text += "\n\n";
        text += fmt::format("[{}]\n{}", to_string(message.role), shown_text(message));
    }
    return text;
}

void write(json::Writer& writer, const Sample& sample) {
    writer.begin_object();
    for (const Field<Sample>& known : kFields) {
        // A chat is the source of its task, and only one of the two may be given.
        const bool derived =
            sample.messages.empty() ? known.name == "messages" : known.name == "task";
        if (derived) continue;
        writer.key(known.name);
        known.write(writer, sample);
    }
    writer.end_object();
}

}  // namespace evalfleet::job
