#include "cli/simulator/protocols/bedrock.hpp"

#include "cli/simulator/protocols/wire.hpp"
#include "common/aws/event_stream.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

std::string_view exception_of(int status) {
    switch (status) {
        case 400:
            return "ValidationException";
        case 403:
            return "UnrecognizedClientException";
        case 404:
            return "ResourceNotFoundException";
        case 408:
            return "ModelTimeoutException";
        case 429:
            return "ThrottlingException";
        case 503:
            return "ServiceUnavailableException";
        default:
            return status >= 500 ? "InternalServerException" : "ValidationException";
    }
}

std::string message_for(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    if (failure.kind == FailureKind::bad_key)
        return "The security token included in the request is invalid.";
    if (failure.status == 429) return "Too many requests, please wait before trying again.";
    return fmt::format("simulated status {}", failure.status);
}

std::string_view stop_reason(const Completion& completion) {
    if (completion.finish_reason == "stop" || completion.is_refusal()) return "end_turn";
    if (completion.finish_reason == "length") return "max_tokens";
    if (completion.is_filtered()) return "content_filtered";
    return completion.finish_reason;
}

void write_facts(json::Writer& writer, const Completion& completion,
                 std::chrono::nanoseconds worked) {
    const TokenCounts& tokens = completion.tokens;
    const std::uint64_t cached = tokens.cache_read + tokens.cache_write;
    const std::uint64_t input = tokens.prompt > cached ? tokens.prompt - cached : 0;
    if (completion.has_usage) {
        writer.key("usage").begin_object().member("inputTokens", input);
        writer.member("outputTokens", tokens.output + tokens.reasoning);
        writer.member("totalTokens", tokens.total());
        if (tokens.cache_read > 0) writer.member("cacheReadInputTokens", tokens.cache_read);
        if (tokens.cache_write > 0) writer.member("cacheWriteInputTokens", tokens.cache_write);
        writer.end_object();
    }
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(worked).count();
    writer.key("metrics").begin_object().member("latencyMs", ms).end_object();
}

std::string frame(std::string_view type, std::string payload) {
    return aws::encode({{{":event-type", std::string(type)},
                         {":content-type", "application/json"},
                         {":message-type", "event"}},
                        std::move(payload)});
}

class BedrockStream final : public StreamWriter {
  public:
    explicit BedrockStream(const Completion& completion) : completion_(completion) {}

    [[nodiscard]] std::string begin() override {
        return frame("messageStart", R"({"role":"assistant"})");
    }

    [[nodiscard]] std::string text(std::string_view piece) override {
        std::string delta;
        json::Writer writer(delta);
        writer.begin_object().member("contentBlockIndex", 0).key("delta").begin_object();
        writer.member("text", piece).end_object().end_object();
        return delta;
    }

    [[nodiscard]] std::string sealed(std::string event) override {
        return frame("contentBlockDelta", std::move(event));
    }

    [[nodiscard]] std::string end(std::chrono::nanoseconds worked) override {
        std::string stop;
        json::Writer(stop)
            .begin_object()
            .member("stopReason", stop_reason(completion_))
            .end_object();
        std::string facts;
        json::Writer writer(facts);
        writer.begin_object();
        write_facts(writer, completion_, worked);
        writer.end_object();
        return frame("contentBlockStop", R"({"contentBlockIndex":0})") +
               frame("messageStop", std::move(stop)) + frame("metadata", std::move(facts));
    }

    [[nodiscard]] std::string fail(const Failure& failure) override {
        const std::string name = failure.code.empty() ? "modelStreamErrorException" : failure.code;
        return aws::encode({{{":exception-type", name},
                             {":content-type", "application/json"},
                             {":message-type", "exception"}},
                            R"({"message":"simulated error"})"});
    }

  private:
    const Completion& completion_;
};

Status read_parts(json::Value body, ChatRequest& chat) {
    if (const auto system = body.find("system"); system && !system->is_null()) {
        auto text = read_message_text(*system);
        if (!text) return text.error();
        chat.add("system", *std::move(text));
    }
    const Status read = read_messages(body, chat, kTwoSides);
    take_prefill(chat);
    return read;
}

}  // namespace

Result<ChatRequest> Bedrock::read(const http::RequestContext& request, json::Value body) const {
    ChatRequest chat(std::string(request.parameter("model")));
    chat.stream = is_stream_;
    if (const Status read = read_parts(body, chat); !read) return read.error();
    if (const auto config = body.find("inferenceConfig"); config && !config->is_null()) {
        const auto max_tokens = config->optional<std::int64_t>("maxTokens");
        if (!max_tokens) return max_tokens.error();
        chat.max_tokens = *max_tokens;
    }
    return chat;
}

std::string_view Bedrock::key(const http::RequestContext& request) const {
    constexpr std::string_view kCredential = "Credential=";
    const std::string_view value = header(request, "Authorization");
    const std::size_t begin = value.find(kCredential);
    if (begin == std::string_view::npos) return bearer_key(request);
    const std::string_view scope = value.substr(begin + kCredential.size());
    return scope.substr(0, scope.find('/'));
}

std::string Bedrock::write(const Completion& completion, std::chrono::nanoseconds worked) const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("output").begin_object().key("message").begin_object();
    writer.member("role", "assistant").key("content").begin_array();
    writer.begin_object().member("text", completion.content).end_object();
    writer.end_array().end_object().end_object();
    writer.member("stopReason", stop_reason(completion));
    write_facts(writer, completion, worked);
    writer.end_object();
    return out;
}

std::unique_ptr<StreamWriter> Bedrock::write_stream(const Completion& completion) const {
    return std::make_unique<BedrockStream>(completion);
}

std::string Bedrock::write_error(const Failure& failure) const {
    std::string out;
    json::Writer writer(out);
    const std::string_view name =
        failure.code.empty() ? exception_of(failure.status) : std::string_view(failure.code);
    writer.begin_object().member("__type", name).member("message", message_for(failure));
    writer.end_object();
    return out;
}

void Bedrock::add_headers(const ReplyFacts& facts, http::Headers& headers) const {
    headers.add("x-amzn-RequestId", std::string(facts.request_id));
}

int Bedrock::status_of(FailureKind kind) const {
    return kind == FailureKind::bad_key ? 403 : Protocol::status_of(kind);
}

}  // namespace evalfleet::simulator
