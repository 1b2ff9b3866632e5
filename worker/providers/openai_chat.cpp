#include "worker/providers/openai_chat.hpp"

#include "common/http/retry_policy.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// 2024-08-06, 20240806 or 0613.
bool is_date(std::string_view version) {
    if (version.size() == 10 && version[4] == '-' && version[7] == '-') {
        return std::count_if(version.begin(), version.end(), is_digit) == 8;
    }
    const bool all_digits = std::all_of(version.begin(), version.end(), is_digit);
    return all_digits && (version.size() == 8 || version.size() == 4);
}

/// Reasoning models refuse `max_tokens`; many compatible servers know nothing else.
bool wants_completion_tokens(std::string_view model) {
    const bool is_o_series = model.size() >= 2 && model[0] == 'o' && is_digit(model[1]);
    const bool is_late_gpt =
        model.starts_with("gpt-") && model.size() > 4 && model[4] >= '5' && is_digit(model[4]);
    return is_o_series || is_late_gpt;
}

std::string make_body(const ModelRequest& request) {
    const std::string model = openai_model_name(request.model, request.version);
    std::string body;
    json::Writer writer(body);
    writer.begin_object().member("model", model);
    writer.key("messages").begin_array();
    for (const job::Message& message : request.messages) {
        writer.begin_object()
            .member("role", job::to_string(message.role))
            .member("content", message.content)
            .end_object();
    }
    writer.end_array();
    // Every sampling field is sent, since the defaults differ from server to server.
    writer.member("temperature", request.generation.temperature);
    writer.member("top_p", request.generation.top_p);
    writer.member(wants_completion_tokens(model) ? "max_completion_tokens"sv : "max_tokens"sv,
                  request.generation.max_tokens);
    if (request.generation.seed) writer.member("seed", *request.generation.seed);
    writer.member("stream", false);
    writer.end_object();
    return body;
}

/// What `error` says, an object or a text; nothing if it is neither.
std::optional<std::string> error_message(json::Value root) {
    const auto error = root.find("error");
    if (!error || error->is_null()) return std::nullopt;
    if (auto text = find_text(*error)) return text;
    if (!error->is_object()) return std::nullopt;
    std::string message = find_text(error->find("message")).value_or("no message");
    for (const std::string_view name : {"type"sv, "code"sv}) {
        if (const auto word = find_text(error->find(name))) message += " (" + *word + ")";
    }
    return message;
}

/// Money and daily quota do not come back by waiting.
bool is_out_of_money(json::Value root) {
    constexpr std::array kWords{"insufficient_quota"sv, "credit_balance_exhausted"sv,
                                "billing_hard_limit_reached"sv};
    const auto error = root.find("error");
    if (!error || !error->is_object()) return false;
    const auto type = find_text(error->find("type"));
    const auto code = find_text(error->find("code"));
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view word) { return type == word || code == word; });
}

Usage read_usage(json::Value root) {
    const auto usage = root.find("usage");
    if (!usage || !usage->is_object()) return {};
    Usage out;
    out.input_tokens = find_count(usage->find("prompt_tokens"));
    out.output_tokens = find_count(usage->find("completion_tokens"));
    if (const auto details = usage->find("prompt_tokens_details")) {
        out.cache_read_tokens = find_count(details->find("cached_tokens"));
        out.cache_write_tokens = find_count(details->find("cache_write_tokens"));
    }
    return out;
}

Status read_choice(json::Value root, ModelReply& reply) {
    const auto choices = root.get<json::Array>("choices");
    if (!choices) return choices.error();
    if (choices->empty()) return root.error("\"choices\" is empty");
    const json::Value choice = *choices->begin();
    const auto message = choice.get<json::Object>("message");
    if (!message) return message.error();
    reply.finish_reason = find_text(choice.find("finish_reason"));
    const auto content = message->value().optional<std::string>("content");
    if (!content) return content.error();
    if (*content && !(*content)->empty()) {
        reply.answer = **content;
    } else if (auto refusal = find_text(message->value().find("refusal"))) {
        reply.answer = *std::move(refusal);
        reply.finish_reason = "refusal";
    }
    return {};
}

std::optional<std::string> request_id(const http::Headers& headers) {
    return short_header(headers, "x-request-id");
}

void read_server_time(const http::Headers& headers, ModelReply& reply) {
    if (const auto processing = find_milliseconds(headers, "openai-processing-ms")) {
        reply.model_latency_ms = processing;
        reply.model_latency_source = job::LatencySource::provider_reported;
    } else if (const auto timing = find_server_timing(headers)) {
        reply.model_latency_ms = timing;
        reply.model_latency_source = job::LatencySource::server_timing;
    }
}

}  // namespace

std::string openai_model_name(std::string_view name, const std::optional<std::string>& version) {
    std::string full(name);
    if (version && is_date(*version) && !name.ends_with(*version)) full += "-" + *version;
    return full;
}

http::Request OpenAiChat::make_request(const Endpoint& endpoint,
                                       const ModelRequest& request) const {
    http::Request wire;
    wire.method = "POST";
    wire.url = endpoint.base_url.with_path_appended("/chat/completions");
    wire.headers.add("Content-Type", "application/json");
    wire.headers.add("Accept", "application/json");
    if (!endpoint.api_key.empty()) {
        wire.headers.add("Authorization", "Bearer " + endpoint.api_key);
    }
    wire.body = make_body(request);
    return wire;
}

Result<ModelReply> OpenAiChat::read_reply(const http::Headers& headers,
                                          std::string_view body) const {
    const auto document = json::Document::parse(body, {.reject_duplicate_keys = false});
    if (!document) return document.error();
    const json::Value root = document->root();
    if (!root.is_object()) return root.unexpected("an object");
    if (auto message = error_message(root)) {
        return Error{ErrorKind::invalid, "an error under status 200: " + shorten(*message)};
    }
    ModelReply reply;
    if (auto read = read_choice(root, reply); !read) return read.error();
    reply.model_reported = find_text(root.find("model"));
    reply.request_id = request_id(headers);
    if (!reply.request_id) reply.request_id = find_text(root.find("id"));
    reply.usage = read_usage(root);
    read_server_time(headers, reply);
    return reply;
}

Refusal OpenAiChat::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                 std::chrono::system_clock::time_point now) const {
    Refusal refusal;
    refusal.request_id = request_id(headers);
    refusal.retry_after = find_retry_after(headers, now);
    refusal.should_retry = find_should_retry(headers);
    refusal.message = "HTTP " + std::to_string(status);
    const auto document = json::Document::parse(body, {.reject_duplicate_keys = false});
    if (!document) {
        if (!body.empty()) refusal.message += ": " + shorten(body);
        return refusal;
    }
    if (auto message = error_message(document->root())) {
        refusal.message += ": " + shorten(*message);
    }
    if (!refusal.should_retry && is_out_of_money(document->root())) refusal.should_retry = false;
    return refusal;
}

}  // namespace evalfleet::worker
