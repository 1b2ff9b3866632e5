#include "cli/simulator/protocols/responses.hpp"

#include "cli/simulator/protocols/wire.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

/// `input`: a text, or messages.
Status read_input(json::Value body, ChatRequest& chat) {
    if (const auto instructions = body.find("instructions");
        instructions && !instructions->is_null()) {
        auto text = instructions->as<std::string>();
        if (!text) return text.error();
        chat.add("system", *std::move(text));
    }
    const auto input = body.required("input");
    if (!input) return input.error();
    if (!input->is_array()) {
        auto text = input->as<std::string>();
        if (!text) return text.error();
        chat.add("user", *std::move(text));
        return {};
    }
    for (const json::Value message : *input->as_array()) {
        const auto role = message.get<std::string_view>("role");
        if (!role) return role.error();
        const auto content = message.required("content");
        if (!content) return content.error();
        auto text = read_message_text(*content);
        if (!text) return text.error();
        chat.add(*role, *std::move(text));
    }
    return {};
}

std::string_view reason_of(const Completion& completion) {
    if (completion.finish_reason == "length") return "max_output_tokens";
    return completion.is_filtered() ? "content_filter" : "";
}

void write_content(json::Writer& writer, const Completion& completion, std::string_view text) {
    writer.begin_object();
    if (completion.is_refusal()) {
        writer.member("type", "refusal").member("refusal", text);
    } else {
        writer.member("type", "output_text").member("text", text);
        writer.key("annotations").begin_array().end_array();
        writer.key("logprobs").begin_array().end_array();
    }
    writer.end_object();
}

std::string item_id(const Completion& completion) {
    return fmt::format("msg_sim{:016x}", completion.id);
}

void write_item(json::Writer& writer, const Completion& completion, std::string_view status) {
    writer.begin_object().member("id", item_id(completion)).member("type", "message");
    writer.member("status", status).member("role", "assistant").key("content").begin_array();
    if (status != "in_progress") write_content(writer, completion, completion.content);
    writer.end_array().end_object();
}

void write_usage(json::Writer& writer, const TokenCounts& tokens) {
    writer.begin_object().member("input_tokens", tokens.prompt);
    writer.key("input_tokens_details").begin_object();
    writer.member("cached_tokens", tokens.cache_read);
    if (tokens.cache_write > 0) writer.member("cache_write_tokens", tokens.cache_write);
    writer.end_object().member("output_tokens", tokens.output + tokens.reasoning);
    writer.key("output_tokens_details").begin_object();
    writer.member("reasoning_tokens", tokens.reasoning).end_object();
    writer.member("total_tokens", tokens.total()).end_object();
}

/// The response as it stands at the beginning (nothing in it yet) or at the end.
std::string write_response(const Completion& completion, bool is_over) {
    const std::string_view reason = reason_of(completion);
    std::string out;
    json::Writer writer(out);
    writer.begin_object().member("id", fmt::format("resp_sim{:016x}", completion.id));
    writer.member("object", "response").member("created_at", kCreated);
    writer.member("status", !is_over ? "in_progress" : reason.empty() ? "completed" : "incomplete");
    writer.key("error").null().key("incomplete_details");
    if (is_over && !reason.empty()) {
        writer.begin_object().member("reason", reason).end_object();
    } else {
        writer.null();
    }
    writer.key("instructions").null().key("metadata").begin_object().end_object();
    writer.member("model", simulated_name(completion.model));
    writer.key("output").begin_array();
    if (is_over && !(completion.is_filtered() && completion.content.empty()))
        write_item(writer, completion, reason.empty() ? "completed" : "incomplete");
    writer.end_array().member("parallel_tool_calls", true);
    writer.key("temperature").value(1.0).key("top_p").value(1.0);
    writer.member("tool_choice", "auto").key("tools").begin_array().end_array();
    writer.member("store", false).key("usage");
    if (is_over && completion.has_usage) {
        write_usage(writer, completion.tokens);
    } else {
        writer.null();
    }
    writer.end_object();
    return out;
}

/// From `response.created` to `response.completed`, with numbers that count up.
class ResponsesStream final : public StreamWriter {
  public:
    explicit ResponsesStream(const Completion& completion) : completion_(completion) {}

    [[nodiscard]] std::string begin() override {
        std::string out = with_response("response.created", false);
        out += with_response("response.in_progress", false);
        std::string item;
        json::Writer writer(item);
        write_item(writer, completion_, "in_progress");
        out +=
            event("response.output_item.added", fmt::format(R"("output_index":0,"item":{})", item));
        return out + part("response.content_part.added", "");
    }

    [[nodiscard]] std::string text(std::string_view piece) override {
        std::string delta;
        json::Writer(delta).value(piece);
        return event(
            completion_.is_refusal() ? "response.refusal.delta" : "response.output_text.delta",
            place() + fmt::format(R"(,"delta":{}{})", delta, logprobs()));
    }

    [[nodiscard]] std::string end(std::chrono::nanoseconds) override {
        std::string whole;
        json::Writer(whole).value(completion_.content);
        const bool is_refusal = completion_.is_refusal();
        std::string out =
            event(is_refusal ? "response.refusal.done" : "response.output_text.done",
                  place() + fmt::format(R"(,"{}":{}{})", is_refusal ? "refusal" : "text", whole,
                                        logprobs()));
        out += part("response.content_part.done", completion_.content);
        std::string item;
        json::Writer writer(item);
        write_item(writer, completion_, "completed");
        out +=
            event("response.output_item.done", fmt::format(R"("output_index":0,"item":{})", item));
        return out + with_response(reason_of(completion_).empty() ? "response.completed"
                                                                  : "response.incomplete",
                                   true);
    }

    [[nodiscard]] std::string fail(const Failure& failure) override {
        const std::string code = failure.code.empty() ? "server_error" : failure.code;
        std::string name;
        json::Writer(name).value(code);
        return event("error",
                     fmt::format(R"("code":{},"message":"simulated error","param":null)", name));
    }

  private:
    [[nodiscard]] std::string_view logprobs() const {
        return completion_.is_refusal() ? "" : R"(,"logprobs":[])";
    }

    [[nodiscard]] std::string place() const {
        return fmt::format(R"("item_id":"{}","output_index":0,"content_index":0)",
                           item_id(completion_));
    }

    [[nodiscard]] std::string part(std::string_view type, std::string_view text) {
        std::string content;
        json::Writer writer(content);
        write_content(writer, completion_, text);
        return event(type, place() + fmt::format(R"(,"part":{})", content));
    }

    [[nodiscard]] std::string with_response(std::string_view type, bool is_over) {
        return event(type, fmt::format(R"("response":{})", write_response(completion_, is_over)));
    }

    [[nodiscard]] std::string event(std::string_view type, std::string_view members) {
        return sse_event(type, fmt::format(R"({{"type":"{}","sequence_number":{},{}}})", type,
                                           number_++, members));
    }

    const Completion& completion_;
    int number_ = 0;
};

}  // namespace

Result<ChatRequest> OpenAiResponses::read(const http::RequestContext&, json::Value body) const {
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    ChatRequest chat(*std::move(model));
    for (const std::string_view name : {"seed", "stop"}) {
        if (body.find(name))
            return Error{ErrorKind::invalid, fmt::format("Unknown parameter: '{}'.", name)};
    }
    if (const Status read = read_input(body, chat); !read) return read.error();
    const auto stream = body.get_or<bool>("stream", false);
    if (!stream) return stream.error();
    chat.stream = *stream;
    const auto max_tokens = body.optional<std::int64_t>("max_output_tokens");
    if (!max_tokens) return max_tokens.error();
    chat.max_tokens = *max_tokens;
    const auto text = body.find("text");
    const auto format = text ? text->find("format") : std::nullopt;
    if (format) {
        const auto type = format->get_or<std::string_view>("type", "text");
        if (!type) return type.error();
        chat.wants_json = *type != "text";
    }
    return chat;
}

std::string OpenAiResponses::write(const Completion& completion, std::chrono::nanoseconds) const {
    return write_response(completion, true);
}

std::unique_ptr<StreamWriter> OpenAiResponses::write_stream(const Completion& completion) const {
    return std::make_unique<ResponsesStream>(completion);
}

}  // namespace evalfleet::simulator
