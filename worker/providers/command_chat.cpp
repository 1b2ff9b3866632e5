#include "worker/providers/command_chat.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

void write_generation(json::Writer& writer, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    writer.key("generation").begin_object();
    ParameterWriter parameters(writer, request, refused);
    parameters.temperature("temperature");
    parameters.top_p("top_p");
    writer.member("max_tokens", request.generation.max_tokens);
    parameters.seed("seed");
    parameters.stop("stop");
    if (const auto* format = parameters.response_format()) {
        writer.key("response_format");
        format->json_schema.empty() ? writer.value("json") : writer.raw(format->json_schema);
    }
    if (const auto* effort = parameters.reasoning_effort())
        writer.member("reasoning_effort", *effort);
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
    writer.end_object();
}

/// `error`: a text, or an object with `message`, `status` and `retry_after_ms`.
Refusal read_error(json::Value root, const WireError& error) {
    Refusal refusal = to_refusal(error);
    refusal.message = "the program says: " + shorten(error.message);
    const auto object = root.find("error");
    if (!object || !object->is_object()) return refusal;
    const auto status = find_count(object->find("status"));
    if (status && *status >= 400 && *status <= 599) refusal.status = static_cast<int>(*status);
    if (const auto wait = find_duration(object->find("retry_after_ms")))
        refusal.retry_after = std::chrono::milliseconds(static_cast<std::int64_t>(*wait));
    return refusal;
}

Usage read_usage(json::Value usage) {
    return {find_count(usage.find("input_tokens")), find_count(usage.find("output_tokens")),
            find_count(usage.find("cache_read_tokens")),
            find_count(usage.find("cache_write_tokens")),
            find_count(usage.find("reasoning_tokens"))};
}

/// Programs do not stream: what comes is put together and read at the end.
class WholeReader final : public StreamReader {
  public:
    explicit WholeReader(const CommandChat& protocol) : protocol_(protocol) {}

    [[nodiscard]] Status feed(std::string_view bytes, async::TimePoint) override {
        body_ += bytes;
        return {};
    }
    [[nodiscard]] Result<ModelReply> finish() override { return protocol_.read_reply({}, body_); }
    [[nodiscard]] Usage usage() const override { return {}; }

  private:
    const CommandChat& protocol_;
    std::string body_;
};

}  // namespace

WireRequest CommandChat::make_request(const Endpoint&, const ModelRequest& request) const {
    WireRequest wire;
    json::Writer writer(wire.http.body);
    writer.begin_object().member(
        "model", providers::wire_model_name(providers::ProviderType::command, request.model,
                                            request.version));
    if (request.version) writer.member("version", *request.version);
    write_openai_messages(writer, request.messages);
    write_generation(writer, request, wire.refused_parameters);
    writer.end_object();
    return wire;
}

Result<ModelReply> CommandChat::read_reply(const http::Headers&, std::string_view body) const {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    if (const auto usage = root.find("usage"); usage && usage->is_object())
        reply.usage = read_usage(*usage);
    reply.request_id = find_text(root.find("request_id"));
    if (const auto error = find_error(root)) {
        reply.refusal = read_error(root, *error);
        return reply;
    }
    if (!root.is_object()) return root.unexpected("an object");
    auto answer = root.get<std::string>("answer");
    if (!answer) return answer.error();
    reply.answer = *std::move(answer);
    reply.finish_reason = find_word(root.find("finish_reason"));
    reply.model_reported = find_text(root.find("model"));
    return reply;
}

std::unique_ptr<StreamReader> CommandChat::read_stream(const http::Headers&) const {
    return std::make_unique<WholeReader>(*this);
}

Refusal CommandChat::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                  std::chrono::system_clock::time_point now) const {
    auto [refusal, error] = read_refusal_body(status, headers, body, now);
    const auto document = parse_body(body);
    if (error && document) {
        const Refusal told = read_error(document->root(), *error);
        refusal.status = told.status;
        refusal.message = told.message;
        refusal.retry_after = told.retry_after;
        refusal.refused_parameter = told.refused_parameter;
    } else {
        refusal.message = "the program failed: " + shorten(body);
    }
    return refusal;
}

}  // namespace evalfleet::worker
