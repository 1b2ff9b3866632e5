#include "cli/simulator/protocols/openai_stream.hpp"

#include "cli/simulator/protocols/openai.hpp"
#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

namespace {

// Chunks are padded to multiples of this, so that their sizes do not tell the words.
constexpr std::size_t kPadTo = 32;

void pad(std::string& chunk, json::Writer& writer) {
    constexpr std::string_view kPadding = "simulatedsimulatedsimulatedsimul";
    static_assert(kPadding.size() == kPadTo);
    writer.member("obfuscation", kPadding.substr(0, kPadTo - chunk.size() % kPadTo));
}

}  // namespace

void write_openai_head(json::Writer& writer, const Completion& completion,
                       std::string_view object) {
    writer.member("id", fmt::format("chatcmpl-sim{:016x}", completion.id));
    writer.member("object", object).member("created", kCreated);
    writer.member("model", simulated_name(completion.model));
}

void write_openai_usage(json::Writer& writer, const Completion& completion) {
    const TokenCounts& tokens = completion.tokens;
    writer.begin_object();
    writer.member("prompt_tokens", tokens.prompt);
    writer.member("completion_tokens",
                  tokens.output + (completion.counts_reasoning_apart ? 0 : tokens.reasoning));
    writer.member("total_tokens", tokens.total());
    writer.key("prompt_tokens_details").begin_object();
    writer.member("cached_tokens", tokens.cache_read).member("audio_tokens", 0);
    if (tokens.cache_write > 0) writer.member("cache_write_tokens", tokens.cache_write);
    writer.end_object().key("completion_tokens_details").begin_object();
    writer.member("reasoning_tokens", tokens.reasoning).member("audio_tokens", 0);
    writer.member("accepted_prediction_tokens", 0).member("rejected_prediction_tokens", 0);
    writer.end_object().end_object();
}

std::string_view openai_finish(const Completion& completion) {
    // A refusal has a field of its own and ends like an answer.
    if (completion.is_refusal()) return "stop";
    return completion.finish_reason;
}

void write_filter_results(json::Writer& writer, bool is_filtered) {
    writer.begin_object();
    for (const std::string_view category : {"hate", "self_harm", "sexual", "violence"}) {
        const bool is_hit = is_filtered && category == "violence";
        writer.key(category).begin_object().member("filtered", is_hit);
        writer.member("severity", is_hit ? "high" : "safe").end_object();
    }
    writer.end_object();
}

void write_prompt_filter(json::Writer& writer) {
    writer.key("prompt_filter_results").begin_array().begin_object().member("prompt_index", 0);
    writer.key("content_filter_results");
    write_filter_results(writer, false);
    writer.end_object().end_array();
}

std::string OpenAiStream::begin() {
    std::string out;
    if (has_filters_) {
        // Azure tells about the prompt first, in a chunk that names nothing yet.
        std::string chunk;
        json::Writer writer(chunk);
        writer.begin_object().key("choices").begin_array().end_array();
        writer.member("created", 0).member("id", "").member("model", "").member("object", "");
        write_prompt_filter(writer);
        writer.end_object();
        out = sse_event("", chunk);
    }
    return out += chunk(Part::role);
}

std::string OpenAiStream::text(std::string_view piece) {
    return chunk(Part::text, piece);
}

std::string OpenAiStream::end(std::chrono::nanoseconds) {
    std::string out = chunk(Part::finish);
    if (completion_.wants_stream_usage && completion_.has_usage) out += usage_chunk();
    return out += sse_event("", "[DONE]");
}

std::string OpenAiStream::fail(const Failure& failure) {
    return sse_event("", protocol_.write_error(failure));
}

void OpenAiStream::write_delta(json::Writer& writer, Part part, std::string_view piece) const {
    writer.key("delta").begin_object();
    if (part == Part::role) {
        writer.member("role", "assistant");
        if (!completion_.is_refusal()) writer.member("content", "");
        writer.key("refusal").null();
    }
    if (part == Part::text) writer.member(completion_.is_refusal() ? "refusal" : "content", piece);
    writer.end_object();
}

std::string OpenAiStream::chunk(Part part, std::string_view piece) const {
    std::string out;
    out.reserve(384 + piece.size());
    json::Writer writer(out);
    writer.begin_object();
    write_openai_head(writer, completion_, "chat.completion.chunk");
    writer.member("service_tier", "default").member("system_fingerprint", kFingerprint);
    writer.key("choices").begin_array().begin_object().member("index", 0);
    write_delta(writer, part, piece);
    writer.key("logprobs").null().key("finish_reason");
    part == Part::finish ? writer.value(openai_finish(completion_)) : writer.null();
    if (has_filters_) {
        writer.key("content_filter_results");
        if (part == Part::role) {
            writer.begin_object().end_object();
        } else {
            write_filter_results(writer, part == Part::finish && completion_.is_filtered());
        }
    }
    writer.end_object().end_array();
    if (completion_.wants_stream_usage) writer.key("usage").null();
    if (completion_.wants_padding) pad(out, writer);
    writer.end_object();
    return sse_event("", out);
}

std::string OpenAiStream::usage_chunk() const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    write_openai_head(writer, completion_, "chat.completion.chunk");
    writer.member("service_tier", "default").member("system_fingerprint", kFingerprint);
    writer.key("choices").begin_array().end_array().key("usage");
    write_openai_usage(writer, completion_);
    if (completion_.wants_padding) pad(out, writer);
    writer.end_object();
    return sse_event("", out);
}

}  // namespace evalfleet::simulator
