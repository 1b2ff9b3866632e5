#include "worker/providers/anthropic_reply.hpp"

#include "common/json/document.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/server_time.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

/// Tokens as Anthropic counts them: `input` without those that went through the cache.
class Counts {
  public:
    /// What is not there stays as it was.
    void read(std::optional<json::Value> usage) {
        if (!usage) return;
        take(usage->find("input_tokens"), input_);
        take(usage->find("cache_read_input_tokens"), read_);
        take(usage->find("cache_creation_input_tokens"), written_);
        take(usage->find("output_tokens"), output_);
        if (const auto details = usage->find("output_tokens_details"))
            take(details->find("thinking_tokens"), thought_);
    }

    [[nodiscard]] Usage usage() const {
        Usage usage{std::nullopt, output_, read_, written_, thought_};
        if (input_) usage.input_tokens = *input_ + read_.value_or(0) + written_.value_or(0);
        return usage;
    }

  private:
    using Count = std::optional<std::int64_t>;

    static void take(std::optional<json::Value> value, Count& count) {
        if (const Count found = find_count(value)) count = found;
    }

    Count input_;
    Count read_;
    Count written_;
    Count output_;
    Count thought_;  // part of the output
};

std::string to_finish_reason(std::string word) {
    if (word == "end_turn" || word == "stop_sequence") return "stop";
    if (word == "max_tokens" || word == "model_context_window_exceeded") return "length";
    if (word == "tool_use") return "tool_calls";
    return word;
}

/// Of the whole message, and of the `delta` of `message_delta`.
void read_stop(json::Value holder, ModelReply& reply, std::string& explanation) {
    if (auto word = find_word(holder.find("stop_reason"))) {
        reply.finish_reason = to_finish_reason(*std::move(word));
    }
    if (const auto details = holder.find("stop_details")) {
        explanation = find_text(details->find("explanation")).value_or("");
    }
}

/// A refusal that says why is an answer.
void explain_refusal(std::string explanation, ModelReply& reply) {
    if (reply.answer.empty() && reply.finish_reason == "refusal") {
        reply.answer = std::move(explanation);
    }
}

Result<std::string> join_text(json::Value message) {
    const auto blocks = message.get<json::Array>("content");
    if (!blocks) return blocks.error();
    std::string text;
    for (const json::Value block : *blocks) {
        if (!block.is_object()) return block.unexpected("an object");
        if (find_text(block.find("type")) != "text") continue;
        text += find_text(block.find("text")).value_or("");
    }
    return text;
}

/// Ended by `message_stop`. Not every server sends that: a stream that said why it stopped is whole
/// without it.
class AnthropicStream final : public EventReader {
  public:
    explicit AnthropicStream(const http::Headers& headers) {
        reply_.request_id = short_header(headers, "request-id");
    }

    [[nodiscard]] Result<ModelReply> finish() override {
        take_rest();
        const bool is_whole = is_done_ || reply_.finish_reason.has_value();
        if (!is_whole && !reply_.refusal) return broken_off();
        text_.move_into(reply_, has_halves());
        reply_.usage = counts_.usage();
        explain_refusal(std::move(explanation_), reply_);
        return std::move(reply_);
    }

    [[nodiscard]] bool has_ended() const override { return is_done_; }

    [[nodiscard]] Usage usage() const override { return counts_.usage(); }

  private:
    [[nodiscard]] Status take(const http::Event& event, async::TimePoint at) override {
        if (is_done_ || reply_.refusal || is_done_mark(event)) return {};
        const auto root = parse(event.data);
        if (!root) return root.error();
        if (!root->is_object()) return root->unexpected("an object");
        take_event(find_text(root->find("type")).value_or(event.type), *root, at);
        return {};
    }

    /// Events that nobody knows are skipped: their kinds grow within a version.
    void take_event(std::string_view type, json::Value root, async::TimePoint at) {
        if (type == "message_start") {
            take_start(root.find("message"));
        } else if (type == "content_block_start") {
            add_text(root.find("content_block"), "text", at);
        } else if (type == "content_block_delta") {
            add_text(root.find("delta"), "text_delta", at);
        } else if (type == "message_delta") {
            if (const auto delta = root.find("delta")) read_stop(*delta, reply_, explanation_);
            counts_.read(root.find("usage"));
        } else if (type == "message_stop") {
            is_done_ = true;
        } else if (type == "error") {
            reply_.refusal =
                to_refusal(find_error(root).value_or(WireError{"no message", {}, {}, {}}));
        }
    }

    void take_start(std::optional<json::Value> message) {
        if (!message) return;
        reply_.model_reported = find_text(message->find("model"));
        if (!reply_.request_id) reply_.request_id = find_text(message->find("id"));
        counts_.read(message->find("usage"));
    }

    void add_text(std::optional<json::Value> block, std::string_view type, async::TimePoint at) {
        if (!block || find_text(block->find("type")) != type) return;
        text_.add(find_text(block->find("text")).value_or(""), at);
    }

    ModelReply reply_;
    Counts counts_;
    StreamedText text_;
    std::string explanation_;
    bool is_done_ = false;
};

}  // namespace

Result<ModelReply> read_anthropic_reply(const http::Headers& headers, std::string_view body) {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    reply.request_id = short_header(headers, "request-id");
    if (const auto error = find_error(root)) {
        reply.refusal = to_refusal(*error);
        return reply;
    }
    if (!root.is_object()) return root.unexpected("an object");
    auto text = join_text(root);
    if (!text) return text.error();
    reply.answer = *std::move(text);
    reply.model_reported = find_text(root.find("model"));
    if (!reply.request_id) reply.request_id = find_text(root.find("id"));
    std::string explanation;
    read_stop(root, reply, explanation);
    explain_refusal(std::move(explanation), reply);
    Counts counts;
    counts.read(root.find("usage"));
    reply.usage = counts.usage();
    enter_header_time(headers, reply);
    return reply;
}

std::unique_ptr<StreamReader> read_anthropic_stream(const http::Headers& headers) {
    return std::make_unique<AnthropicStream>(headers);
}

}  // namespace evalfleet::worker
