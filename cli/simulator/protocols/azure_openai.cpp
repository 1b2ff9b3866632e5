#include "cli/simulator/protocols/azure_openai.hpp"

#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

std::string message_for(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    if (failure.kind == FailureKind::bad_key) {
        return "Access denied due to invalid subscription key or wrong API endpoint. Make sure to "
               "provide a valid key for an active subscription and use a correct regional API "
               "endpoint for your resource.";
    }
    if (failure.status == 429) {
        std::string message =
            "Requests to the simulated deployment have exceeded the call rate limit of its tier.";
        if (!failure.retry_after) return message;
        return message +
               fmt::format(" Please retry after {} seconds.", seconds_text(*failure.retry_after));
    }
    return fmt::format("simulated status {}", failure.status);
}

/// A prompt that the content filter did not let pass.
std::string blocked_prompt(const Failure& failure) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.member("message", failure.message.empty()
                                 ? "The response was filtered due to the prompt triggering the "
                                   "content management policy. Please modify your prompt and retry."
                                 : failure.message);
    writer.key("type").null().member("param", "prompt").member("code", "content_filter");
    writer.member("status", failure.status);
    writer.key("innererror").begin_object().member("code", "ResponsibleAIPolicyViolation");
    writer.key("content_filter_result");
    write_filter_results(writer, true);
    writer.end_object().end_object().end_object();
    return out;
}

}  // namespace

Result<ChatRequest> AzureOpenAi::read(const http::RequestContext& request, json::Value body) const {
    if (request.parameters.empty()) return OpenAi::read(request, body);
    if (!request.query.find("api-version")) {
        return Error{ErrorKind::invalid, "Missing required query parameter: api-version"};
    }
    return read_openai_chat(request.parameter("deployment"), body);
}

std::string_view AzureOpenAi::key(const http::RequestContext& request) const {
    const std::string_view key = header(request, "api-key");
    return key.empty() ? bearer_key(request) : key;
}

std::string AzureOpenAi::write_error(const Failure& failure) const {
    if (failure.kind == FailureKind::blocked) return blocked_prompt(failure);
    if (failure.kind == FailureKind::bad_request) return OpenAi::write_error(failure);
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.member("code", failure.code.empty() ? std::to_string(failure.status) : failure.code);
    writer.member("message", message_for(failure)).end_object().end_object();
    return out;
}

void AzureOpenAi::add_headers(const ReplyFacts& facts, http::Headers& headers) const {
    headers.add("apim-request-id", std::string(facts.request_id));
    headers.add("x-ms-region", "Simulated");
    OpenAi::add_headers(facts, headers);
}

}  // namespace evalfleet::simulator
