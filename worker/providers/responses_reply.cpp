#include "worker/providers/responses_reply.hpp"

#include "common/json/document.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/server_time.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

Usage read_usage(json::Value usage) {
    Usage out;
    out.input_tokens = find_count(usage.find("input_tokens"));
    out.output_tokens = find_count(usage.find("output_tokens"));
    if (const auto details = usage.find("input_tokens_details")) {
        out.cache_read_tokens = find_count(details->find("cached_tokens"));
        out.cache_write_tokens = find_count(details->find("cache_write_tokens"));
    }
    if (const auto details = usage.find("output_tokens_details"))
        out.reasoning_tokens = find_count(details->find("reasoning_tokens"));
    return out;
}

std::optional<std::string> to_finish_reason(json::Value response) {
    const auto status = find_text(response.find("status"));
    if (status == "completed") return "stop";
    const auto details = response.find("incomplete_details");
    const auto reason = details ? find_text(details->find("reason")) : std::nullopt;
    if (reason == "max_output_tokens") return "length";
    return reason ? reason : status;
}

/// The words of a part of a message: an answer, or a refusal.
void add_part(json::Value part, std::string& text, std::string& refusal) {
    const auto type = find_text(part.find("type"));
    if (type == "output_text") text += find_text(part.find("text")).value_or("");
    if (type == "refusal") refusal += find_text(part.find("refusal")).value_or("");
}

Status read_output(json::Value response, std::string& text, std::string& refusal) {
    const auto output = response.optional<json::Array>("output");
    if (!output) return output.error();
    if (!*output) return {};
    for (const json::Value item : **output) {
        if (!item.is_object()) return item.unexpected("an object");
        if (find_text(item.find("type")) != "message") continue;
        const auto content = item.optional<json::Array>("content");
        if (!content) return content.error();
        if (!*content) continue;
        for (const json::Value part : **content)
            add_part(part, text, refusal);
    }
    return {};
}

/// What a response says of itself besides its text.
void read_facts(json::Value response, ModelReply& reply) {
    if (auto model = find_text(response.find("model"))) reply.model_reported = std::move(model);
    if (!reply.request_id) reply.request_id = find_text(response.find("id"));
    const auto usage = response.find("usage");
    if (usage && usage->is_object()) reply.usage = read_usage(*usage);
    reply.finish_reason = to_finish_reason(response);
}

void enter_words(std::string text, std::string refusal, ModelReply& reply) {
    const bool is_refusal = text.empty() && !refusal.empty();
    reply.answer = is_refusal ? std::move(refusal) : std::move(text);
    if (is_refusal) reply.finish_reason = "refusal";
}

/// An error in a response, or in an event that is nothing else.
std::optional<Refusal> find_refusal(json::Value holder) {
    if (const auto error = find_error(holder)) return to_refusal(*error);
    if (find_text(holder.find("type")) != "error") return std::nullopt;
    WireError error{find_text(holder.find("message")).value_or("no message"), std::nullopt,
                    find_text(holder.find("code")), find_text(holder.find("param"))};
    return to_refusal(error);
}

/// Ended by `response.completed` and its kin, which has everything once more. Not every server
/// sends that: a message that said that it is complete is an answer without it.
class ResponsesStream final : public EventReader {
  public:
    explicit ResponsesStream(const http::Headers& headers) {
        reply_.request_id = short_header(headers, "x-request-id");
    }

    [[nodiscard]] Result<ModelReply> finish() override {
        take_rest();
        const bool is_whole = is_done_ || reply_.finish_reason.has_value();
        if (!is_whole && !reply_.refusal) return broken_off();
        if (!refusal_.empty() && text_.empty()) {
            refusal_.move_into(reply_, has_halves());
            reply_.finish_reason = "refusal";
        } else if (!text_.empty()) {
            text_.move_into(reply_, has_halves());
        }
        return std::move(reply_);
    }

    [[nodiscard]] bool has_ended() const override { return is_done_; }

    [[nodiscard]] Usage usage() const override { return reply_.usage; }

  private:
    [[nodiscard]] Status take(const http::Event& event, async::TimePoint at) override {
        if (is_done_ || reply_.refusal || is_done_mark(event)) return {};
        const auto root = parse(event.data);
        if (!root) return root.error();
        if (!root->is_object()) return root->unexpected("an object");
        return take_event(find_text(root->find("type")).value_or(event.type), *root, at);
    }

    /// Events that nobody knows are skipped.
    [[nodiscard]] Status take_event(std::string_view type, json::Value root, async::TimePoint at) {
        if (type == "response.output_text.delta") {
            text_.add(find_text(root.find("delta")).value_or(""), at);
        } else if (type == "response.refusal.delta") {
            refusal_.add(find_text(root.find("delta")).value_or(""), at);
        } else if (type == "response.output_item.done") {
            take_item(root.find("item"));
        } else if (type == "response.created" || type == "response.in_progress") {
            take_begin(root.find("response"));
        } else if (type == "response.completed" || type == "response.incomplete") {
            return take_end(root.find("response"));
        } else if (type == "response.failed") {
            const auto response = root.find("response");
            if (response) read_facts(*response, reply_);
            reply_.refusal = response ? find_refusal(*response) : std::nullopt;
            if (!reply_.refusal) reply_.refusal = to_refusal({"no message", {}, {}, {}});
        } else {
            reply_.refusal = find_refusal(root);
        }
        return {};
    }

    void take_begin(std::optional<json::Value> response) {
        if (!response) return;
        if (auto model = find_text(response->find("model")))
            reply_.model_reported = std::move(model);
        if (!reply_.request_id) reply_.request_id = find_text(response->find("id"));
    }

    /// A whole message.
    void take_item(std::optional<json::Value> item) {
        if (!item || find_text(item->find("type")) != "message") return;
        if (find_text(item->find("status")) == "completed") reply_.finish_reason = "stop";
    }

    /// The last event has everything once more; the text only where there were no deltas.
    [[nodiscard]] Status take_end(std::optional<json::Value> response) {
        if (!response || !response->is_object())
            return Error{ErrorKind::invalid, "the last event holds no response"};
        is_done_ = true;
        read_facts(*response, reply_);
        if (!text_.empty() || !refusal_.empty()) return {};
        std::string text;
        std::string refusal;
        if (Status read = read_output(*response, text, refusal); !read) return read;
        enter_words(std::move(text), std::move(refusal), reply_);
        return {};
    }

    ModelReply reply_;
    StreamedText text_;
    StreamedText refusal_;
    bool is_done_ = false;
};

}  // namespace

Result<ModelReply> read_responses_reply(const http::Headers& headers, std::string_view body) {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    reply.request_id = short_header(headers, "x-request-id");
    if (auto refusal = find_refusal(root)) {
        reply.refusal = std::move(refusal);
        if (root.is_object()) read_facts(root, reply);
        return reply;
    }
    if (!root.is_object()) return root.unexpected("an object");
    if (!root.find("output")) return root.error("\"output\" is missing");
    std::string text;
    std::string refusal;
    if (Status read = read_output(root, text, refusal); !read) return read.error();
    read_facts(root, reply);
    enter_words(std::move(text), std::move(refusal), reply);
    enter_header_time(headers, reply);
    return reply;
}

std::unique_ptr<StreamReader> read_responses_stream(const http::Headers& headers) {
    return std::make_unique<ResponsesStream>(headers);
}

}  // namespace evalfleet::worker
