#include "common/json/document.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/server_time.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

/// Some count reasoning neither in the output nor apart from it in a way that adds up, but in the
/// total (xAI): what the total has beyond the sum was reasoning, and billed as output.
void add_hidden_output(json::Value usage, Usage& out) {
    const auto total = find_count(usage.find("total_tokens"));
    if (!total || !out.input_tokens || !out.output_tokens) return;
    const std::int64_t hidden = *total - *out.input_tokens - *out.output_tokens;
    if (hidden <= 0) return;
    *out.output_tokens += hidden;
    if (!out.reasoning_tokens) out.reasoning_tokens = hidden;
}

Usage read_usage(json::Value usage) {
    Usage out;
    out.input_tokens = find_count(usage.find("prompt_tokens"));
    out.output_tokens = find_count(usage.find("completion_tokens"));
    // The second is the name in OpenAI's other protocol, which some servers use here as well.
    for (const std::string_view name : {"completion_tokens_details"sv, "output_tokens_details"sv}) {
        const auto details = usage.find(name);
        if (details && !out.reasoning_tokens)
            out.reasoning_tokens = find_count(details->find("reasoning_tokens"));
    }
    add_hidden_output(usage, out);
    if (const auto details = usage.find("prompt_tokens_details")) {
        out.cache_read_tokens = find_count(details->find("cached_tokens"));
        out.cache_write_tokens = find_count(details->find("cache_write_tokens"));
        if (!out.cache_write_tokens) {
            out.cache_write_tokens = find_count(details->find("created_cache_tokens"));  // vLLM
        }
    }
    return out;
}

/// TGI has words of its own.
std::string to_finish_reason(std::string word) {
    if (word == "stop_sequence" || word == "eos_token") return "stop";
    if (word == "function_call") return "tool_calls";
    return word;
}

void read_counts(json::Value root, ModelReply& reply) {
    const auto usage = root.find("usage");
    if (usage && usage->is_object()) reply.usage = read_usage(*usage);
    const auto groq = root.find("x_groq");
    if (const auto counts = groq ? groq->find("usage") : std::nullopt) {
        if (counts->is_object()) reply.usage = read_usage(*counts);
    }
}

/// What stands in the whole reply and in each chunk of a stream; later ones win. What Azure says
/// about its filters comes in chunks of their own, in which id and model are empty.
void read_common(json::Value root, ModelReply& reply) {
    if (auto model = find_word(root.find("model"))) reply.model_reported = std::move(model);
    if (auto build = find_word(root.find("system_fingerprint"))) {
        reply.system_fingerprint = std::move(build);
    }
    read_counts(root, reply);
    if (const auto time = find_body_time(root)) reply.provider_time_ms = time;
}

void read_finish_reason(json::Value choice, ModelReply& reply) {
    if (auto word = find_word(choice.find("finish_reason"))) {
        reply.finish_reason = to_finish_reason(*std::move(word));
    }
}

/// A text, or the texts of a list of parts. An error if it is neither and not null.
Result<std::string> read_content(json::Value message) {
    const auto content = message.find("content");
    if (!content || content->is_null()) return std::string();
    if (!content->is_array()) return content->as<std::string>();
    std::string text;
    for (const json::Value part : *content->as_array()) {
        if (!part.is_object()) return part.unexpected("an object");
        if (const auto piece = find_text(part.find("text"))) text += *piece;
    }
    return text;
}

Status read_choice(json::Value root, ModelReply& reply) {
    const auto choices = root.get<json::Array>("choices");
    if (!choices) return choices.error();
    if (choices->empty()) return root.error("\"choices\" is empty");
    const json::Value choice = *choices->begin();
    read_finish_reason(choice, reply);
    // Of a plain completion the text stands right there.
    if (const auto text = choice.find("text"); text && !choice.find("message")) {
        auto words = text->as<std::string>();
        if (!words) return words.error();
        reply.answer = *std::move(words);
        return {};
    }
    const auto message = choice.get<json::Object>("message");
    if (!message) return message.error();
    auto content = read_content(message->value());
    if (!content) return content.error();
    reply.answer = *std::move(content);
    if (!reply.answer.empty()) return {};
    if (auto refusal = find_text(message->value().find("refusal"))) {
        reply.answer = *std::move(refusal);
        reply.finish_reason = "refusal";
    }
    return {};
}

std::optional<std::string> header_id(const http::Headers& headers) {
    for (const std::string_view name :
         {"x-request-id"sv, "apim-request-id"sv, "x-generation-id"sv}) {
        if (auto id = short_header(headers, name)) return id;
    }
    return std::nullopt;
}

/// "... Please retry after 12 seconds": where Azure's header is missing, and where its error comes
/// under a good status or through a proxy, it is all there is.
std::optional<std::chrono::milliseconds> find_retry_sentence(std::string_view message) {
    constexpr std::string_view kWords = "retry after ";
    const std::size_t at = message.find(kWords);
    if (at == std::string_view::npos) return std::nullopt;
    message.remove_prefix(at + kWords.size());
    std::uint32_t seconds = 0;
    const auto [end, error] =
        std::from_chars(message.data(), message.data() + message.size(), seconds);
    if (error != std::errc()) return std::nullopt;
    return std::chrono::seconds(seconds);
}

/// The error of a body or chunk, or of its choice: OpenRouter tells there what became of a provider
/// that failed after it had begun, and the text so far stands beside it.
std::optional<WireError> find_any_error(json::Value root) {
    if (auto error = find_error(root)) return error;
    const auto choices = root.find("choices");
    const auto items = choices ? choices->as_array() : Result<json::Array>(Error{});
    if (!items || items->empty()) return std::nullopt;
    return find_error(*items->begin());
}

Refusal to_openai_refusal(const WireError& error) {
    Refusal refusal = to_refusal(error);
    refusal.retry_after = find_retry_sentence(error.message);
    return refusal;
}

/// Chunks of `chat.completion.chunk`, ended by `[DONE]`. Not every server sends that: a stream that
/// said why it finished is whole without it.
class OpenAiStream final : public EventReader {
  public:
    explicit OpenAiStream(const http::Headers& headers) { reply_.request_id = header_id(headers); }

    [[nodiscard]] Result<ModelReply> finish() override {
        take_rest();
        const bool is_whole = is_done_ || reply_.finish_reason.has_value();
        if (!is_whole && !reply_.refusal) return broken_off();
        if (refusal_text_.empty() || !text_.empty()) {
            text_.move_into(reply_, has_halves());
        } else {
            refusal_text_.move_into(reply_, has_halves());
            reply_.finish_reason = "refusal";
        }
        return std::move(reply_);
    }

    [[nodiscard]] bool has_ended() const override { return is_done_; }

    [[nodiscard]] Usage usage() const override { return reply_.usage; }

  private:
    [[nodiscard]] Status take(const http::Event& event, async::TimePoint at) override {
        if (is_done_ || reply_.refusal) return {};
        if (is_done_mark(event)) {
            is_done_ = true;
            return {};
        }
        const auto chunk = parse(event.data);
        if (!chunk) return chunk.error();
        if (const auto error = find_any_error(*chunk)) {
            reply_.refusal = to_openai_refusal(*error);
            read_counts(*chunk, reply_);
            return {};
        }
        return take_chunk(*chunk, at);
    }

    [[nodiscard]] Status take_chunk(json::Value chunk, async::TimePoint at) {
        if (!chunk.is_object()) return chunk.unexpected("an object");
        read_common(chunk, reply_);
        if (!reply_.request_id) reply_.request_id = find_word(chunk.find("id"));
        const auto choices = chunk.optional<json::Array>("choices");
        if (!choices) return choices.error();
        // The chunk with the usage has none.
        if (!*choices || (*choices)->empty()) return {};
        const json::Value choice = *(*choices)->begin();
        read_finish_reason(choice, reply_);
        const auto delta = choice.find("delta");
        if (!delta) text_.add(find_text(choice.find("text")).value_or(""), at);
        if (!delta || !delta->is_object()) return {};
        const auto content = read_content(*delta);
        if (!content) return content.error();
        text_.add(*content, at);
        refusal_text_.add(find_text(delta->find("refusal")).value_or(""), at);
        return {};
    }

    ModelReply reply_;
    StreamedText text_;
    StreamedText refusal_text_;
    bool is_done_ = false;
};

}  // namespace

Result<ModelReply> read_openai_reply(const http::Headers& headers, std::string_view body) {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    reply.request_id = header_id(headers);
    if (const auto error = find_any_error(root)) {
        reply.refusal = to_openai_refusal(*error);
        read_counts(root, reply);
        return reply;
    }
    if (!root.is_object()) return root.unexpected("an object");
    if (auto read = read_choice(root, reply); !read) return read.error();
    enter_header_time(headers, reply);
    read_common(root, reply);
    if (!reply.request_id) reply.request_id = find_word(root.find("id"));
    return reply;
}

std::unique_ptr<StreamReader> read_openai_stream(const http::Headers& headers) {
    return std::make_unique<OpenAiStream>(headers);
}

Refusal read_openai_refusal(int status, const http::Headers& headers, std::string_view body,
                            std::chrono::system_clock::time_point now) {
    constexpr int kCapacityExceeded = 498;  // Groq's flex tier
    Refusal refusal = read_refusal_body(status, headers, body, now).refusal;
    refusal.request_id = header_id(headers);
    if (!refusal.should_retry && status == kCapacityExceeded) refusal.should_retry = true;
    if (!refusal.retry_after) refusal.retry_after = find_retry_sentence(refusal.message);
    return refusal;
}

}  // namespace evalfleet::worker
