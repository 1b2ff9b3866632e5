#include "worker/providers/gemini_reply.hpp"

#include "common/json/document.hpp"
#include "worker/providers/event_reader.hpp"
#include "worker/providers/server_time.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

constexpr std::array kFilters{"SAFETY"sv,      "RECITATION"sv,         "LANGUAGE"sv,
                              "BLOCKLIST"sv,   "PROHIBITED_CONTENT"sv, "SPII"sv,
                              "MODEL_ARMOR"sv, "IMAGE_SAFETY"sv,       "JAILBREAK"sv};

std::string to_finish_reason(std::string word) {
    if (word == "STOP") return "stop";
    if (word == "MAX_TOKENS") return "length";
    if (std::find(kFilters.begin(), kFilters.end(), word) != kFilters.end()) {
        return "content_filter";
    }
    return word;
}

Usage read_usage(json::Value counts) {
    Usage usage;
    usage.input_tokens = find_count(counts.find("promptTokenCount"));
    usage.cache_read_tokens = find_count(counts.find("cachedContentTokenCount"));
    const auto answer = find_count(counts.find("candidatesTokenCount"));
    // Not among the candidates' tokens, but billed as output.
    usage.reasoning_tokens = find_count(counts.find("thoughtsTokenCount"));
    if (answer || usage.reasoning_tokens)
        usage.output_tokens = answer.value_or(0) + usage.reasoning_tokens.value_or(0);
    return usage;
}

/// The first candidate's text without its thoughts. An error if it has another shape.
Result<std::string> join_text(json::Value candidate) {
    const auto content = candidate.find("content");
    const auto parts = content ? content->find("parts") : std::nullopt;
    if (!parts || parts->is_null()) return std::string();
    const auto items = parts->as_array();
    if (!items) return items.error();
    std::string text;
    for (const json::Value part : *items) {
        if (!part.is_object()) return part.unexpected("an object");
        if (find_text(part.find("thought")) == "true") continue;
        text += find_text(part.find("text")).value_or("");
    }
    return text;
}

/// What a chunk, or the whole, says besides its text; later ones win. The text is returned.
Result<std::string> read_chunk(json::Value root, ModelReply& reply) {
    if (!root.is_object()) return root.unexpected("an object");
    if (const auto model = find_text(root.find("modelVersion"))) {
        const std::string_view name = *model;
        reply.model_reported = name.starts_with("models/") ? name.substr(7) : name;
    }
    if (auto id = find_text(root.find("responseId"))) reply.request_id = std::move(id);
    const auto counts = root.find("usageMetadata");
    if (counts && counts->is_object()) reply.usage = read_usage(*counts);
    const auto feedback = root.find("promptFeedback");
    if (feedback && find_text(feedback->find("blockReason"))) {
        reply.finish_reason = "content_filter";
        return find_text(feedback->find("blockReasonMessage")).value_or("");
    }
    const auto candidates = root.optional<json::Array>("candidates");
    if (!candidates) return candidates.error();
    if (!*candidates || (*candidates)->empty()) return std::string();
    const json::Value candidate = *(*candidates)->begin();
    auto word = find_word(candidate.find("finishReason"));
    if (word && word != "FINISH_REASON_UNSPECIFIED") {
        reply.finish_reason = to_finish_reason(*std::move(word));
    }
    return join_text(candidate);
}

/// The whole; or, where a server streams without events, its chunks in one array.
Result<std::string> read_chunks(json::Value root, ModelReply& reply) {
    const auto chunks = root.as_array();
    if (!chunks) return read_chunk(root, reply);
    std::string text;
    for (const json::Value chunk : *chunks) {
        const auto piece = read_chunk(chunk, reply);
        if (!piece) return piece.error();
        text += *piece;
    }
    return text;
}

/// "36s" or "1.5s".
std::optional<std::chrono::milliseconds> parse_delay(std::string_view text) {
    constexpr double kLongestSeconds = 86'400;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = error == std::errc() && end == text.data() + text.size() - 1 && *end == 's';
    if (!whole || !(seconds >= 0 && seconds <= kLongestSeconds)) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

bool is_daily(json::Value detail) {
    const auto violations = detail.find("violations");
    const auto items = violations ? violations->as_array() : Result<json::Array>(Error{});
    if (!items) return false;
    for (const json::Value item : *items) {
        const auto id = find_text(item.find("quotaId"));
        if (id && id->find("PerDay") != std::string::npos) return true;
    }
    return false;
}

class GeminiStream final : public EventReader {
  public:
    [[nodiscard]] Result<ModelReply> finish() override {
        take_rest();
        if (!reply_.finish_reason && !reply_.refusal) return broken_off();
        text_.move_into(reply_, has_halves());
        return std::move(reply_);
    }

    [[nodiscard]] Usage usage() const override { return reply_.usage; }

  private:
    [[nodiscard]] Status take(const http::Event& event, async::TimePoint at) override {
        if (reply_.refusal || is_done_mark(event)) return {};
        const auto chunk = parse(event.data);
        if (!chunk) return chunk.error();
        if (const auto error = find_error(*chunk)) {
            reply_.refusal = to_refusal(*error);
            read_gemini_details(*chunk, *reply_.refusal);
            return {};
        }
        const auto text = read_chunk(*chunk, reply_);
        if (!text) return text.error();
        text_.add(*text, at);
        return {};
    }

    ModelReply reply_;
    StreamedText text_;
};

}  // namespace

void read_gemini_details(json::Value root, Refusal& refusal) {
    if (const auto list = root.as_array(); list && !list->empty()) {
        return read_gemini_details(*list->begin(), refusal);
    }
    const auto error = root.find("error");
    const auto details = error ? error->find("details") : std::nullopt;
    if (!details || !details->is_array()) return;
    for (const json::Value detail : *details->as_array()) {
        const auto delay = find_text(detail.find("retryDelay"));
        if (delay && !delay->empty() && !refusal.retry_after) {
            refusal.retry_after = parse_delay(*delay);
        }
        if (!refusal.should_retry && is_daily(detail)) refusal.should_retry = false;
        // A matter of the account: the coordinator tells by these words that no trial will do
        // better.
        if (is_daily(detail)) refusal.message += " (daily quota)";
        if (find_text(detail.find("reason")) == "API_KEY_INVALID") {
            refusal.message += " (API_KEY_INVALID)";
            refusal.refuses_credentials = true;
        }
    }
}

Result<ModelReply> read_gemini_reply(const http::Headers& headers, std::string_view body) {
    const auto document = parse_body(body);
    if (!document) return document.error();
    const json::Value root = document->root();
    ModelReply reply;
    if (const auto error = find_error(root)) {
        reply.refusal = to_refusal(*error);
        read_gemini_details(root, *reply.refusal);
        return reply;
    }
    auto text = read_chunks(root, reply);
    if (!text) return text.error();
    if (!reply.finish_reason && text->empty()) {
        return root.error("neither an answer nor a reason why there is none");
    }
    reply.answer = *std::move(text);
    enter_header_time(headers, reply);
    return reply;
}

std::unique_ptr<StreamReader> read_gemini_stream(const http::Headers&) {
    return std::make_unique<GeminiStream>();
}

}  // namespace evalfleet::worker
