#include "cli/simulator/protocols/gemini_stream.hpp"

#include "cli/simulator/protocols/wire.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

namespace {

std::string_view finish_reason(const Completion& completion) {
    if (completion.finish_reason == "stop") return "STOP";
    if (completion.finish_reason == "length") return "MAX_TOKENS";
    if (completion.is_filtered() || completion.is_refusal()) return "SAFETY";
    return completion.finish_reason;
}

void write_candidate(json::Writer& writer, const Completion& completion, std::string_view text,
                     bool is_last) {
    writer.key("candidates").begin_array().begin_object();
    // What was filtered has no content at all.
    const bool is_withheld = completion.is_filtered() || completion.is_refusal();
    if (!is_withheld) {
        writer.key("content").begin_object().key("parts").begin_array().begin_object();
        writer.member("text", text).end_object().end_array();
        writer.member("role", "model").end_object();
    }
    if (is_last) writer.member("finishReason", finish_reason(completion));
    writer.member("index", 0);
    if (is_withheld) {
        writer.key("safetyRatings").begin_array().begin_object();
        writer.member("category", "HARM_CATEGORY_DANGEROUS_CONTENT");
        writer.member("probability", "HIGH").member("blocked", true);
        writer.end_object().end_array();
    }
    writer.end_object().end_array();
}

void write_usage(json::Writer& writer, const Completion& completion, bool is_last) {
    const TokenCounts& tokens = completion.tokens;
    const bool has_candidate = is_last && !completion.is_blocked();
    writer.key("usageMetadata").begin_object().member("promptTokenCount", tokens.prompt);
    if (has_candidate) writer.member("candidatesTokenCount", tokens.output);
    writer.member("totalTokenCount", has_candidate ? tokens.total() : tokens.prompt);
    if (tokens.cache_read > 0) writer.member("cachedContentTokenCount", tokens.cache_read);
    writer.key("promptTokensDetails").begin_array().begin_object().member("modality", "TEXT");
    writer.member("tokenCount", tokens.prompt).end_object().end_array();
    if (has_candidate && tokens.reasoning > 0) {
        writer.member("thoughtsTokenCount", tokens.reasoning);
    }
    writer.end_object();
}

}  // namespace

std::string write_gemini_reply(const Completion& completion, std::string_view text, bool is_last) {
    std::string out;
    out.reserve(text.size() + 512);
    json::Writer writer(out);
    writer.begin_object();
    if (completion.is_blocked()) {
        writer.key("promptFeedback").begin_object();
        writer.member("blockReason", "PROHIBITED_CONTENT").end_object();
    } else {
        write_candidate(writer, completion, text, is_last);
    }
    if (completion.has_usage) write_usage(writer, completion, is_last);
    writer.member("modelVersion", simulated_name(completion.model));
    writer.member("responseId", fmt::format("sim{:016x}", completion.id)).end_object();
    return out;
}

std::string GeminiStream::frame(std::string_view json) {
    if (!completion_.wants_array) return sse_event("", json, "\r\n");
    std::string framed = has_begun_ ? ",\r\n" : "[";
    has_begun_ = true;
    return framed.append(json).append("\n");
}

std::string GeminiStream::text(std::string_view piece) {
    // Nothing is shown of an answer that will be withheld.
    if (completion_.is_filtered() || completion_.is_refusal() || completion_.is_blocked())
        return {};
    return frame(write_gemini_reply(completion_, piece, false));
}

std::string GeminiStream::end(std::chrono::nanoseconds) {
    std::string out = frame(write_gemini_reply(completion_, "", true));
    if (completion_.wants_array) out += "]\n";
    return out;
}

std::string GeminiStream::fail(const Failure& failure) {
    std::string out = frame(protocol_.write_error(failure));
    if (completion_.wants_array) out += "]\n";
    return out;
}

}  // namespace evalfleet::simulator
