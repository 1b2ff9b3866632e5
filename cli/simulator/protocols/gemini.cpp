#include "cli/simulator/protocols/gemini.hpp"

#include "cli/simulator/protocols/gemini_stream.hpp"
#include "cli/simulator/protocols/wire.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

std::string_view status_name(int status) {
    switch (status) {
        case 401:
            return "UNAUTHENTICATED";
        case 403:
            return "PERMISSION_DENIED";
        case 404:
            return "NOT_FOUND";
        case 409:
            return "ABORTED";
        case 429:
            return "RESOURCE_EXHAUSTED";
        case 499:
            return "CANCELLED";
        case 500:
            return "INTERNAL";
        case 501:
            return "UNIMPLEMENTED";
        case 503:
            return "UNAVAILABLE";
        case 504:
            return "DEADLINE_EXCEEDED";
        default:
            return status >= 500 ? "UNKNOWN" : "INVALID_ARGUMENT";
    }
}

std::string message_for(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    if (failure.kind == FailureKind::bad_key) {
        return "API key not valid. Please pass a valid API key.";
    }
    if (failure.status == 429) {
        std::string message = "You exceeded your current quota.";
        if (!failure.retry_after) return message;
        return message + fmt::format(" Please retry in {}s.", seconds_text(*failure.retry_after));
    }
    return fmt::format("simulated status {}", failure.status);
}

std::string_view quota_id(const Failure& failure) {
    if (!failure.code.empty()) return failure.code;
    return failure.kind == FailureKind::tokens_limit
               ? "GenerateContentInputTokensPerModelPerMinute"
               : "GenerateRequestsPerMinutePerProjectPerModel";
}

void write_quota_details(json::Writer& writer, const Failure& failure) {
    writer.key("details").begin_array().begin_object();
    writer.member("@type", "type.googleapis.com/google.rpc.QuotaFailure");
    writer.key("violations").begin_array().begin_object();
    writer.member("quotaId", quota_id(failure)).end_object().end_array().end_object();
    if (failure.retry_after) {
        writer.begin_object().member("@type", "type.googleapis.com/google.rpc.RetryInfo");
        writer.member("retryDelay", seconds_text(*failure.retry_after) + "s").end_object();
    }
    writer.end_array();
}

void write_key_details(json::Writer& writer) {
    writer.key("details").begin_array().begin_object();
    writer.member("@type", "type.googleapis.com/google.rpc.ErrorInfo");
    writer.member("reason", "API_KEY_INVALID").member("domain", "googleapis.com");
    writer.key("metadata").begin_object();
    writer.member("service", "generativelanguage.googleapis.com").end_object();
    writer.end_object().end_array();
}

/// Content of a turn, or of the system: `parts` with texts.
Result<std::string> read_parts(json::Value content) {
    const auto parts = content.required("parts");
    if (!parts) return parts.error();
    if (parts->is_object()) return parts->get_or<std::string>("text", "");
    return read_message_text(*parts);
}

Status read_contents(json::Value body, ChatRequest& chat) {
    for (const std::string_view name : {"systemInstruction", "system_instruction"}) {
        const auto system = body.find(name);
        if (!system || system->is_null()) continue;
        auto text = read_parts(*system);
        if (!text) return text.error();
        chat.add("system", std::move(*text));
    }
    const auto contents = body.get<json::Array>("contents");
    if (!contents) return contents.error();
    if (contents->empty()) return Error{ErrorKind::invalid, "contents is not specified"};
    for (const json::Value content : *contents) {
        const auto role = content.get_or<std::string_view>("role", "user");
        if (!role) return role.error();
        auto text = read_parts(content);
        if (!text) return text.error();
        const std::string_view who = *role == "user" && text->empty() ? "tool" : *role;
        chat.add(who, std::move(*text));
    }
    return {};
}

}  // namespace

Result<ChatRequest> Gemini::read(const http::RequestContext& request, json::Value body) const {
    const std::string_view call = request.parameter("call");
    const auto colon = call.rfind(':');
    const std::string_view method = colon == std::string_view::npos ? "" : call.substr(colon + 1);
    const bool is_stream = method == "streamGenerateContent";
    if (!is_stream && method != "generateContent") {
        return Error{ErrorKind::not_found, fmt::format("no method '{}'", method)};
    }
    ChatRequest chat{std::string(call.substr(0, colon))};
    chat.stream = is_stream;
    chat.wants_array = is_stream && request.query.find("alt") != "sse";
    if (const Status read = read_contents(body, chat); !read) return read.error();
    if (const auto generation = body.find("generationConfig");
        generation && !generation->is_null()) {
        const auto max_tokens = generation->optional<std::int64_t>("maxOutputTokens");
        if (!max_tokens) return max_tokens.error();
        chat.max_tokens = *max_tokens;
        const auto type = generation->get_or<std::string_view>("responseMimeType", "");
        if (!type) return type.error();
        chat.wants_json = *type == "application/json";
    }
    return chat;
}

std::string_view Gemini::key(const http::RequestContext& request) const {
    const std::string_view key = header(request, "x-goog-api-key");
    if (!key.empty()) return key;
    return request.query.find("key").value_or("");
}

std::string Gemini::write(const Completion& completion, std::chrono::nanoseconds) const {
    return write_gemini_reply(completion, completion.content, true);
}

std::unique_ptr<StreamWriter> Gemini::write_stream(const Completion& completion) const {
    return std::make_unique<GeminiStream>(completion, *this);
}

std::string Gemini::write_error(const Failure& failure) const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.member("code", failure.status).member("message", message_for(failure));
    writer.member("status", status_name(failure.status));
    if (failure.status == 429) write_quota_details(writer, failure);
    if (failure.kind == FailureKind::bad_key) write_key_details(writer);
    writer.end_object().end_object();
    return out;
}

void Gemini::add_headers(const ReplyFacts& facts, http::Headers& headers) const {
    headers.add("Server-Timing", "gfet4t7; dur=" + milliseconds_text(facts.worked));
}

std::string_view Gemini::content_type() const {
    return "application/json; charset=UTF-8";
}

std::string_view Gemini::stream_type(const Completion& completion) const {
    return completion.wants_array ? content_type() : "text/event-stream";
}

int Gemini::status_of(FailureKind kind) const {
    // A key that Google does not know is an invalid argument to it.
    return kind == FailureKind::bad_key ? 400 : Protocol::status_of(kind);
}

std::string Gemini::write_models() {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("models").begin_array().begin_object();
    writer.member("name", "models/" + simulated_name("any")).member("version", "001");
    writer.member("displayName", "Simulated").member("description", "A simulated model.");
    writer.member("inputTokenLimit", 1'048'576).member("outputTokenLimit", 65'536);
    writer.key("supportedGenerationMethods").begin_array().value("generateContent").end_array();
    writer.end_object().end_array().end_object();
    return out;
}

}  // namespace evalfleet::simulator
