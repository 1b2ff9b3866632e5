#include "worker/providers/bedrock_reply.hpp"

#include "common/aws/event_stream.hpp"
#include "common/json/document.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

/// What the names of errors mean that come inside a stream, where they have no status. The first
/// letter is small there and large elsewhere.
constexpr std::array kExceptions{
    std::pair{"hrottlingException"sv, 429},
    std::pair{"erviceQuotaExceededException"sv, 429},
    std::pair{"erviceUnavailableException"sv, 503},
    std::pair{"odelNotReadyException"sv, 503},
    std::pair{"odelTimeoutException"sv, 408},
    std::pair{"alidationException"sv, 400},
    std::pair{"ccessDeniedException"sv, 403},
    std::pair{"esourceNotFoundException"sv, 404},
    std::pair{"xpiredTokenException"sv, 403},
    std::pair{"nrecognizedClientException"sv, 403},
};

int status_of_exception(std::string_view name) {
    constexpr int kServerError = 500;
    for (const auto& [ending, status] : kExceptions) {
        if (name.ends_with(ending)) return status;
    }
    return kServerError;
}

/// `com.amazon.coral.service#ThrottlingException:http://...` is a ThrottlingException.
std::string exception_name(std::string_view text) {
    text = text.substr(0, text.find(':'));
    return std::string(text.substr(text.find('#') + 1));
}

std::string to_finish_reason(std::string word) {
    if (word == "end_turn" || word == "stop_sequence") return "stop";
    if (word == "max_tokens" || word == "model_context_window_exceeded") return "length";
    if (word == "tool_use") return "tool_calls";
    if (word == "guardrail_intervened" || word == "content_filtered") return "content_filter";
    return word;
}

/// The input is told without what went through the cache.
void read_usage(json::Value root, ModelReply& reply) {
    const auto usage = root.find("usage");
    if (!usage || !usage->is_object()) return;
    Usage& out = reply.usage;
    out.input_tokens = find_count(usage->find("inputTokens"));
    out.output_tokens = find_count(usage->find("outputTokens"));
    out.cache_read_tokens = find_count(usage->find("cacheReadInputTokens"));
    out.cache_write_tokens = find_count(usage->find("cacheWriteInputTokens"));
    if (out.input_tokens)
        *out.input_tokens += out.cache_read_tokens.value_or(0) + out.cache_write_tokens.value_or(0);
}

void read_time(json::Value root, ModelReply& reply) {
    if (const auto metrics = root.find("metrics"))
        reply.provider_time_ms = find_duration(metrics->find("latencyMs"));
}

Result<std::string> join_text(json::Value root) {
    const auto output = root.get<json::Object>("output");
    if (!output) return output.error();
    const auto message = output->value().get<json::Object>("message");
    if (!message) return message.error();
    const auto content = message->value().get<json::Array>("content");
    if (!content) return content.error();
    std::string text;
    for (const json::Value block : *content) {
        if (!block.is_object()) return block.unexpected("an object");
        text += find_text(block.find("text")).value_or("");
    }
    return text;
}

/// Whole once `messageStop` came; `metadata`, with the tokens, ends it.
class BedrockStream final : public StreamReader {
  public:
    explicit BedrockStream(const http::Headers& headers) {
        reply_.request_id = short_header(headers, "x-amzn-requestid");
    }

    [[nodiscard]] Status feed(std::string_view bytes, async::TimePoint at) override {
        frames_.feed(bytes);
        for (;;) {
            const auto frame = frames_.next();
            if (!frame) return frame.error();
            if (!*frame) return {};
            if (Status taken = take(**frame, at); !taken) return taken;
        }
    }

    [[nodiscard]] Result<ModelReply> finish() override {
        if (!reply_.refusal && !reply_.finish_reason) return broken_off();
        text_.move_into(reply_, json_.has_halves());
        return std::move(reply_);
    }

    [[nodiscard]] bool has_ended() const override {
        return has_metadata_ && reply_.finish_reason.has_value();
    }

    [[nodiscard]] Usage usage() const override { return reply_.usage; }

  private:
    [[nodiscard]] Status take(const aws::Frame& frame, async::TimePoint at) {
        if (reply_.refusal) return {};
        const std::string_view kind = frame.header(":message-type");
        if (kind == "exception" || kind == "error") {
            refuse(frame);
            return {};
        }
        const auto root = json_.parse(frame.payload);
        if (!root) return root.error();
        if (!root->is_object()) return root->unexpected("an object");
        take_event(frame.header(":event-type"), *root, at);
        return {};
    }

    void take_event(std::string_view type, json::Value root, async::TimePoint at) {
        if (type == "contentBlockDelta") {
            const auto delta = root.find("delta");
            if (delta) text_.add(find_text(delta->find("text")).value_or(""), at);
        } else if (type == "messageStop") {
            reply_.finish_reason =
                to_finish_reason(find_text(root.find("stopReason")).value_or("end_turn"));
        } else if (type == "metadata") {
            has_metadata_ = true;
            read_usage(root, reply_);
            read_time(root, reply_);
        }
    }

    void refuse(const aws::Frame& frame) {
        std::string name(frame.header(":exception-type"));
        if (name.empty()) name = frame.header(":error-code");
        std::string words(frame.header(":error-message"));
        if (const auto root = json_.parse(frame.payload))
            words = find_text(root->find("message")).value_or(words);
        Refusal refusal;
        refusal.status = status_of_exception(name);
        refusal.message = shorten("an error in the stream: " + words + " (" + name + ")");
        reply_.refusal = std::move(refusal);
    }

    aws::FrameParser frames_;
    TextParser json_;
    ModelReply reply_;
    StreamedText text_;
    bool has_metadata_ = false;
};

}  // namespace

Result<ModelReply> read_bedrock_reply(const http::Headers& headers, std::string_view body) {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    if (!root.is_object()) return root.unexpected("an object");
    ModelReply reply;
    reply.request_id = short_header(headers, "x-amzn-requestid");
    auto text = join_text(root);
    if (!text) return text.error();
    reply.answer = *std::move(text);
    if (auto word = find_word(root.find("stopReason")))
        reply.finish_reason = to_finish_reason(*std::move(word));
    read_usage(root, reply);
    read_time(root, reply);
    return reply;
}

std::unique_ptr<StreamReader> read_bedrock_stream(const http::Headers& headers) {
    return std::make_unique<BedrockStream>(headers);
}

Refusal read_bedrock_refusal(int status, const http::Headers& headers, std::string_view body,
                             std::chrono::system_clock::time_point now) {
    Refusal refusal = read_refusal_body(status, headers, body, now).refusal;
    refusal.request_id = short_header(headers, "x-amzn-requestid");
    const auto document = parse_body(body);
    std::string name = short_header(headers, "x-amzn-errortype").value_or("");
    if (name.empty() && document) name = find_text(document->root().find("__type")).value_or("");
    name = exception_name(name);
    if (!name.empty()) refusal.message += " (" + shorten(name) + ")";
    constexpr std::array kOfKeys{"ExpiredTokenException"sv,       "ExpiredToken"sv,
                                 "UnrecognizedClientException"sv, "InvalidSignatureException"sv,
                                 "SignatureDoesNotMatch"sv,       "InvalidClientTokenId"sv};
    refusal.refuses_credentials = std::find(kOfKeys.begin(), kOfKeys.end(), name) != kOfKeys.end();
    return refusal;
}

}  // namespace evalfleet::worker
