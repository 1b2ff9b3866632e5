#include "cli/simulator/protocols/anthropic_stream.hpp"

#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

namespace {

std::string_view stop_reason(const Completion& completion) {
    if (completion.finish_reason == "stop") return "end_turn";
    if (completion.finish_reason == "length") return "max_tokens";
    // Its filter is told as a refusal.
    if (completion.is_filtered()) return "refusal";
    return completion.finish_reason;
}

}  // namespace

void write_anthropic_head(json::Writer& writer, const Completion& completion) {
    writer.member("id", fmt::format("msg_sim{:016x}", completion.id));
    writer.member("type", "message").member("role", "assistant");
    writer.member("model", simulated_name(completion.model));
}

void write_anthropic_stop(json::Writer& writer, const Completion& completion) {
    const std::string_view reason = stop_reason(completion);
    writer.member("stop_reason", reason).key("stop_sequence").null();
    if (reason != "refusal") return;
    writer.key("stop_details").begin_object().member("type", "refusal");
    writer.member("category", "general_harms");
    writer.member("explanation", "A simulated refusal.").end_object();
}

void write_anthropic_usage(json::Writer& writer, const TokenCounts& tokens,
                           std::uint64_t output_tokens) {
    const std::uint64_t cached = tokens.cache_read + tokens.cache_write;
    writer.begin_object();
    writer.member("input_tokens", tokens.prompt > cached ? tokens.prompt - cached : 0);
    writer.member("cache_creation_input_tokens", tokens.cache_write);
    writer.member("cache_read_input_tokens", tokens.cache_read);
    writer.key("cache_creation").begin_object();
    writer.member("ephemeral_5m_input_tokens", tokens.cache_write);
    writer.member("ephemeral_1h_input_tokens", 0).end_object();
    writer.member("output_tokens", output_tokens);
    if (tokens.reasoning > 0) {
        writer.key("output_tokens_details").begin_object();
        writer.member("thinking_tokens", tokens.reasoning).end_object();
    }
    writer.member("service_tier", "standard").end_object();
}

std::string AnthropicStream::begin() {
    std::string start;
    json::Writer writer(start);
    writer.begin_object().member("type", "message_start").key("message").begin_object();
    write_anthropic_head(writer, completion_);
    writer.key("content").begin_array().end_array();
    writer.key("stop_reason").null().key("stop_sequence").null();
    if (completion_.has_usage) {
        writer.key("usage");
        write_anthropic_usage(writer, completion_.tokens, 1);
    }
    writer.end_object().end_object();
    return sse_event("message_start", start) +
           sse_event(
               "content_block_start",
               R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})") +
           sse_event("ping", R"({"type": "ping"})");
}

std::string AnthropicStream::text(std::string_view piece) {
    std::string delta;
    json::Writer writer(delta);
    writer.begin_object().member("type", "content_block_delta").member("index", 0);
    writer.key("delta").begin_object().member("type", "text_delta").member("text", piece);
    writer.end_object().end_object();
    return sse_event("content_block_delta", delta);
}

std::string AnthropicStream::end(std::chrono::nanoseconds) {
    std::string delta;
    json::Writer writer(delta);
    writer.begin_object().member("type", "message_delta").key("delta").begin_object();
    write_anthropic_stop(writer, completion_);
    writer.end_object();
    if (completion_.has_usage) {
        writer.key("usage");
        write_anthropic_usage(writer, completion_.tokens,
                              completion_.tokens.output + completion_.tokens.reasoning);
    }
    writer.end_object();
    return sse_event("content_block_stop", R"({"type":"content_block_stop","index":0})") +
           sse_event("message_delta", delta) +
           sse_event("message_stop", R"({"type":"message_stop"})");
}

std::string AnthropicStream::fail(const Failure& failure) {
    return sse_event("error", protocol_.write_error(failure));
}

}  // namespace evalfleet::simulator
