#include "cli/simulator/protocols/openai.hpp"

#include "cli/simulator/protocols/openai_stream.hpp"
#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

struct Words {
    std::string_view type;
    std::string_view code;  ///< empty: null
    std::string message;
};

Words words_for(const Failure& failure) {
    switch (failure.kind) {
        case FailureKind::bad_key:
            return {"invalid_request_error", "invalid_api_key", "Incorrect API key provided."};
        case FailureKind::requests_limit:
            return {"requests", "rate_limit_exceeded", "Rate limit reached on requests per min."};
        case FailureKind::tokens_limit:
            return {"tokens", "rate_limit_exceeded", "Rate limit reached on tokens per min."};
        case FailureKind::busy:
            return {"requests", "rate_limit_exceeded", "Too many requests at once."};
        case FailureKind::blocked:
            return {"invalid_request_error", "content_policy_violation",
                    "The prompt was rejected by the safety system."};
        case FailureKind::plain:
        case FailureKind::bad_request:
            break;
    }
    std::string message = fmt::format("simulated status {}", failure.status);
    if (failure.status == 429) return {"requests", "rate_limit_exceeded", std::move(message)};
    if (failure.status >= 500) return {"server_error", "", std::move(message)};
    if (failure.status == 404) {
        return {"invalid_request_error", "model_not_found", std::move(message)};
    }
    return {"invalid_request_error", "", std::move(message)};
}

void write_message(json::Writer& writer, const Completion& completion) {
    const bool is_refusal = completion.is_refusal();
    writer.key("message").begin_object().member("role", "assistant");
    writer.key("content");
    is_refusal ? writer.null() : writer.value(completion.content);
    writer.key("refusal");
    is_refusal ? writer.value(completion.content) : writer.null();
    writer.key("annotations").begin_array().end_array().end_object();
}

constexpr std::array<std::string_view, 5> kRoles{"system", "developer", "user", "assistant",
                                                 "tool"};

}  // namespace

Result<ChatRequest> read_openai_chat(std::string model, json::Value body) {
    ChatRequest request(std::move(model));
    const Status read = read_messages(body, request, kRoles);
    if (!read) return read.error();
    const auto continues = body.get_or<bool>("continue_final_message", false);
    if (!continues) return continues.error();
    if (*continues) take_prefill(request);
    const auto stream = body.get_or<bool>("stream", false);
    if (!stream) return stream.error();
    request.stream = *stream;
    const char* limit = body.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    const auto max_tokens = body.optional<std::int64_t>(limit);
    if (!max_tokens) return max_tokens.error();
    request.max_tokens = *max_tokens;
    if (const auto format = body.find("response_format"); format && !format->is_null()) {
        const auto type = format->get<std::string_view>("type");
        if (!type) return type.error();
        request.wants_json = *type != "text";
    }
    if (const auto options = body.find("stream_options"); options && !options->is_null()) {
        const auto usage = options->get_or<bool>("include_usage", false);
        if (!usage) return usage.error();
        const auto padding = options->get_or<bool>("include_obfuscation", true);
        if (!padding) return padding.error();
        request.wants_stream_usage = *usage;
        request.wants_padding = *padding;
    }
    return request;
}

Result<ChatRequest> OpenAi::read(const http::RequestContext&, json::Value body) const {
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    return read_openai_chat(std::move(*model), body);
}

std::string_view OpenAi::key(const http::RequestContext& request) const {
    return bearer_key(request);
}

std::string OpenAi::write(const Completion& completion, std::chrono::nanoseconds) const {
    std::string out;
    out.reserve(completion.content.size() + 1024);
    json::Writer writer(out);
    writer.begin_object();
    write_openai_head(writer, completion, "chat.completion");
    writer.key("choices").begin_array().begin_object().member("index", 0);
    write_message(writer, completion);
    writer.key("logprobs").null();
    writer.member("finish_reason", openai_finish(completion));
    if (tells_filter_results()) {
        writer.key("content_filter_results");
        write_filter_results(writer, completion.is_filtered());
    }
    writer.end_object().end_array();
    if (completion.has_usage) {
        writer.key("usage");
        write_openai_usage(writer, completion);
    }
    if (tells_filter_results()) write_prompt_filter(writer);
    writer.member("service_tier", "default").member("system_fingerprint", kFingerprint);
    writer.end_object();
    return out;
}

std::unique_ptr<StreamWriter> OpenAi::write_stream(const Completion& completion) const {
    return std::make_unique<OpenAiStream>(completion, *this, tells_filter_results());
}

std::string OpenAi::write_error(const Failure& failure) const {
    const Words words = words_for(failure);
    const bool has_code = !failure.code.empty();
    // Where a code stands for a kind of its own, OpenAI repeats it as the type.
    const std::string_view type = has_code ? std::string_view(failure.code) : words.type;
    const std::string_view code = has_code ? std::string_view(failure.code) : words.code;
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.member("message", failure.message.empty() ? words.message : failure.message);
    writer.member("type", type).key("param");
    failure.param.empty() ? writer.null() : writer.value(failure.param);
    writer.key("code");
    code.empty() ? writer.null() : writer.value(code);
    writer.end_object().end_object();
    return out;
}

void OpenAi::add_headers(const ReplyFacts& facts, http::Headers& headers) const {
    headers.add("openai-processing-ms", milliseconds_text(facts.worked));
    headers.add("openai-version", "2020-10-01");
    if (!facts.quota) return;
    const auto add = [&headers](const std::optional<Allowance>& left, std::string_view what) {
        if (!left) return;
        headers.add(fmt::format("x-ratelimit-limit-{}", what), std::to_string(left->limit));
        headers.add(fmt::format("x-ratelimit-remaining-{}", what), std::to_string(left->remaining));
        headers.add(fmt::format("x-ratelimit-reset-{}", what), go_duration(left->full_in));
    };
    add(facts.quota->requests, "requests");
    add(facts.quota->tokens, "tokens");
}

std::string OpenAi::write_model(std::string_view id) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().member("id", id).member("object", "model").member("created", kCreated);
    writer.member("owned_by", "evalfleet-simulator").end_object();
    return out;
}

std::string OpenAi::write_models() {
    return R"({"object":"list","data":[)" + write_model(simulated_name("any")) + "]}";
}

}  // namespace evalfleet::simulator
