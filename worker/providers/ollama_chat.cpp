#include "worker/providers/ollama_chat.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/server_time.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

/// The texts of a message in one, and its pictures beside it.
void write_content(json::Writer& writer, const job::Message& message) {
    if (!message.has_images()) {
        writer.member("content", message.content);
        return;
    }
    std::string text;
    for (const job::ContentPart& part : message.parts)
        if (!part.image) text += (text.empty() ? "" : "\n") + part.text;
    writer.member("content", text).key("images").begin_array();
    for (const job::ContentPart& part : message.parts)
        if (part.image) writer.value(part.image->base64);
    writer.end_array();
}

void write_tool_calls(json::Writer& writer, const job::Message& message) {
    if (message.tool_calls.empty()) return;
    writer.key("tool_calls").begin_array();
    for (const job::ToolCall& call : message.tool_calls) {
        writer.begin_object().key("function").begin_object().member("name", call.name);
        writer.key("arguments").raw(call.arguments).end_object().end_object();
    }
    writer.end_array();
}

void write_messages(json::Writer& writer, const ModelRequest& request) {
    writer.key("messages").begin_array();
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const job::Message& message = request.messages[i];
        const bool is_system = job::is_instruction(message.role);
        writer.begin_object().member("role", is_system ? "system" : job::to_string(message.role));
        write_content(writer, message);
        write_tool_calls(writer, message);
        if (const auto* call = job::find_answered_call(request.messages, i))
            writer.member("tool_name", call->name);
        writer.end_object();
    }
    writer.end_array();
}

void write_parameters(json::Writer& writer, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    ParameterWriter parameters(writer, request, refused);
    if (const auto* format = parameters.response_format()) {
        writer.key("format");
        format->json_schema.empty() ? writer.value("json") : writer.raw(format->json_schema);
    }
    if (const auto* effort = parameters.reasoning_effort()) {
        writer.key("think");
        *effort == "none" ? writer.value(false) : writer.value(*effort);
    }
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
    writer.key("options").begin_object();
    parameters.temperature("temperature");
    parameters.top_p("top_p");
    writer.member("num_predict", request.generation.max_tokens);
    parameters.seed("seed");
    parameters.stop("stop");
    writer.end_object();
}

/// A count of nanoseconds in milliseconds; what is 0 is left out by the server.
std::optional<double> find_nanoseconds(json::Value root, std::string_view name) {
    constexpr double kNsPerMs = 1e6;
    const auto count = find_count(root.find(name));
    if (!count) return std::nullopt;
    return static_cast<double>(*count) / kNsPerMs;
}

void read_time(json::Value root, ModelReply& reply) {
    const auto prompt = find_nanoseconds(root, "prompt_eval_duration");
    const auto answer = find_nanoseconds(root, "eval_duration");
    if (prompt || answer) {
        reply.provider_time_ms = prompt.value_or(0) + answer.value_or(0);
    } else if (const auto total = find_nanoseconds(root, "total_duration")) {
        reply.provider_time_ms = total;
    }
}

/// What stands in the last object of a stream, and in the only one of a whole reply.
void read_end(json::Value root, ModelReply& reply) {
    reply.finish_reason = find_word(root.find("done_reason"));
    reply.usage.input_tokens = find_count(root.find("prompt_eval_count"));
    reply.usage.output_tokens = find_count(root.find("eval_count"));
    read_time(root, reply);
}

/// The text of one object's message. An error if it has another shape.
Result<std::string> read_message(json::Value root, ModelReply& reply) {
    if (!root.is_object()) return root.unexpected("an object");
    if (auto model = find_text(root.find("model"))) reply.model_reported = std::move(model);
    const auto message = root.get<json::Object>("message");
    if (!message) return message.error();
    const auto content = message->value().optional<std::string>("content");
    if (!content) return content.error();
    return content->value_or("");
}

/// Ended by an object that is `done`, or says why.
class OllamaStream final : public LineReader {
  public:
    [[nodiscard]] Result<ModelReply> finish() override {
        static_cast<void>(take_rest());  // half a line is none
        if (reply_.refusal) return std::move(reply_);
        if (!is_done_) return broken_off();
        text_.move_into(reply_, has_halves());
        return std::move(reply_);
    }

    [[nodiscard]] bool has_ended() const override { return is_done_; }

    [[nodiscard]] Usage usage() const override { return reply_.usage; }

  private:
    [[nodiscard]] Status take(json::Value line, async::TimePoint at) override {
        if (is_done_ || reply_.refusal) return {};
        if (const auto error = find_error(line)) {
            reply_.refusal = to_refusal(*error);
            return {};
        }
        const auto text = read_message(line, reply_);
        if (!text) return text.error();
        text_.add(*text, at);
        is_done_ = find_text(line.find("done")) == "true" || find_word(line.find("done_reason"));
        if (is_done_) read_end(line, reply_);
        return {};
    }

    ModelReply reply_;
    StreamedText text_;
    bool is_done_ = false;
};

}  // namespace

WireRequest OllamaChat::make_request(const Endpoint& endpoint, const ModelRequest& request) const {
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = extend(endpoint.base_url, "/api", "/chat");
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "application/x-ndjson" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object().member(
        "model", providers::wire_model_name(providers::ProviderType::ollama, request.model,
                                            request.version));
    write_messages(writer, request);
    writer.member("stream", request.stream);  // which is on unless it is said
    write_parameters(writer, request, wire.refused_parameters);
    writer.end_object();
    return wire;
}

Result<ModelReply> OllamaChat::read_reply(const http::Headers& headers,
                                          std::string_view body) const {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    if (const auto error = find_error(root)) {
        reply.refusal = to_refusal(*error);
        return reply;
    }
    auto text = read_message(root, reply);
    if (!text) return text.error();
    reply.answer = *std::move(text);
    enter_header_time(headers, reply);
    read_end(root, reply);
    return reply;
}

std::unique_ptr<StreamReader> OllamaChat::read_stream(const http::Headers&) const {
    return std::make_unique<OllamaStream>();
}

Refusal OllamaChat::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                 std::chrono::system_clock::time_point now) const {
    Refusal refusal = read_refusal_body(status, headers, body, now).refusal;
    // "does not support thinking" is about `think`, which is what it has for both.
    if (refusal.refused_parameter == "thinking_budget")
        refusal.refused_parameter = "reasoning_effort";
    return refusal;
}

}  // namespace evalfleet::worker
