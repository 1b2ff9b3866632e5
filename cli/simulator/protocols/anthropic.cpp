#include "cli/simulator/protocols/anthropic.hpp"

#include "cli/simulator/protocols/anthropic_stream.hpp"
#include "cli/simulator/protocols/wire.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

// From this version on sampling cannot be set at all.
constexpr std::string_view kVersionWithoutSampling = "2026-10-21";

std::string_view error_type(int status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 402:
            return "billing_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 413:
            return "request_too_large";
        case 429:
            return "rate_limit_error";
        case 504:
            return "timeout_error";
        case 529:
            return "overloaded_error";
        default:
            return status >= 500 ? "api_error" : "invalid_request_error";
    }
}

std::string message_for(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    switch (failure.kind) {
        case FailureKind::bad_key:
            return "invalid x-api-key";
        case FailureKind::requests_limit:
            return "This request would exceed the rate limit of requests per minute.";
        case FailureKind::tokens_limit:
            return "This request would exceed the rate limit of tokens per minute.";
        case FailureKind::busy:
            return "Number of concurrent connections has exceeded the limit.";
        case FailureKind::blocked:
            return "Output blocked by content filtering policy";
        case FailureKind::plain:
        case FailureKind::bad_request:
            break;
    }
    return failure.status == 529 ? "Overloaded"
                                 : fmt::format("simulated status {}", failure.status);
}

Status check_version(const http::RequestContext& request, json::Value body) {
    const std::string_view version = header(request, "anthropic-version");
    if (version.empty()) {
        return Error{ErrorKind::invalid, "anthropic-version: header is required"};
    }
    if (version < kVersionWithoutSampling) return {};
    for (const std::string_view name : {"temperature", "top_p", "top_k"}) {
        if (!body.find(name)) continue;
        return Error{ErrorKind::invalid, fmt::format("{}: Extra inputs are not permitted", name)};
    }
    return {};
}

}  // namespace

Result<ChatRequest> Anthropic::read(const http::RequestContext& request, json::Value body) const {
    if (const Status version = check_version(request, body); !version) return version.error();
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    return read_anthropic_chat(*std::move(model), body);
}

Result<ChatRequest> read_anthropic_chat(std::string model, json::Value body) {
    ChatRequest chat(std::move(model));
    const auto max_tokens = body.get<std::int64_t>("max_tokens");
    if (!max_tokens) return max_tokens.error();
    chat.max_tokens = *max_tokens;
    if (const auto system = body.find("system"); system && !system->is_null()) {
        auto text = read_message_text(*system);
        if (!text) return text.error();
        chat.add("system", std::move(*text));
    }
    if (const Status read = read_messages(body, chat); !read) return read.error();
    const auto stream = body.get_or<bool>("stream", false);
    if (!stream) return stream.error();
    chat.stream = *stream;
    const auto output = body.find("output_config");
    chat.wants_json = output && output->find("format");
    return chat;
}

std::string_view Anthropic::key(const http::RequestContext& request) const {
    const std::string_view key = header(request, "x-api-key");
    return key.empty() ? bearer_key(request) : key;
}

std::string Anthropic::write(const Completion& completion, std::chrono::nanoseconds) const {
    std::string out;
    out.reserve(completion.content.size() + 768);
    json::Writer writer(out);
    writer.begin_object();
    write_anthropic_head(writer, completion);
    writer.key("content").begin_array();
    if (!completion.content.empty() || !completion.is_refusal()) {
        writer.begin_object().member("type", "text").member("text", completion.content);
        writer.end_object();
    }
    writer.end_array();
    write_anthropic_stop(writer, completion);
    if (completion.has_usage) {
        writer.key("usage");
        write_anthropic_usage(writer, completion.tokens,
                              completion.tokens.output + completion.tokens.reasoning);
    }
    writer.end_object();
    return out;
}

std::unique_ptr<StreamWriter> Anthropic::write_stream(const Completion& completion) const {
    return std::make_unique<AnthropicStream>(completion, *this);
}

std::string Anthropic::write_error(const Failure& failure) const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().member("type", "error").key("error").begin_object();
    writer.member("type", error_type(failure.status)).member("message", message_for(failure));
    if (!failure.code.empty()) {
        writer.key("details").begin_object().member("error_code", failure.code).end_object();
    }
    writer.end_object();
    if (!failure.request_id.empty()) writer.member("request_id", failure.request_id);
    writer.end_object();
    return out;
}

void Anthropic::add_headers(const ReplyFacts& facts, http::Headers& headers) const {
    headers.add("request-id", std::string(facts.request_id));
    if (!facts.quota) return;
    const auto add = [&](const std::optional<Allowance>& left, std::string_view what) {
        if (!left) return;
        const auto name = [what](std::string_view figure) {
            return fmt::format("anthropic-ratelimit-{}-{}", what, figure);
        };
        const auto full_in = std::chrono::ceil<std::chrono::seconds>(left->full_in);
        headers.add(name("limit"), std::to_string(left->limit));
        headers.add(name("remaining"), std::to_string(left->remaining));
        headers.add(name("reset"), rfc3339(facts.now + full_in));
    };
    add(facts.quota->requests, "requests");
    for (const std::string_view what : {"tokens", "input-tokens", "output-tokens"})
        add(facts.quota->tokens, what);
}

std::string Anthropic::write_models() {
    const std::string id = simulated_name("any");
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("data").begin_array().begin_object();
    writer.member("type", "model").member("id", id).member("display_name", "Simulated");
    writer.member("created_at", kCreatedText).end_object().end_array();
    writer.member("has_more", false).member("first_id", id).member("last_id", id).end_object();
    return out;
}

}  // namespace evalfleet::simulator
