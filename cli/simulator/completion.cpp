#include "cli/simulator/completion.hpp"

#include "cli/simulator/answer.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

namespace {

/// A fixed moment: equal requests get equal bytes.
constexpr std::int64_t kCreated = 1'700'000'000;

std::string_view error_type(int status) {
    if (status == 429) return "rate_limit_exceeded";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

std::string simulated_name(const std::string& model) {
    return "simulated/" + model;
}

std::string completion_body(const Completion& completion) {
    const std::uint64_t output = count_tokens(completion.content.size());
    std::string out;
    out.reserve(completion.content.size() + 512);
    json::Writer writer(out);
    writer.begin_object();
    writer.member("id", fmt::format("chatcmpl-sim-{:016x}", completion.id));
    writer.member("object", "chat.completion");
    writer.member("created", kCreated);
    writer.member("model", simulated_name(completion.model));
    writer.key("choices").begin_array().begin_object();
    writer.member("index", 0);
    writer.key("message").begin_object();
    writer.member("role", "assistant").member("content", completion.content).end_object();
    writer.member("finish_reason", completion.finish_reason);
    writer.end_object().end_array();
    if (completion.has_usage) {
        writer.key("usage").begin_object();
        writer.member("prompt_tokens", completion.prompt_tokens);
        writer.member("completion_tokens", output);
        writer.member("total_tokens", completion.prompt_tokens + output);
        writer.end_object();
    }
    writer.end_object();
    return out;
}

std::string error_body(int status, const std::string& message) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.member("message",
                  message.empty() ? fmt::format("simulated status {}", status) : message);
    writer.member("type", error_type(status));
    writer.member("code", error_type(status));
    writer.end_object().end_object();
    return out;
}

std::string models_body() {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().member("object", "list").key("data").begin_array();
    writer.begin_object();
    writer.member("id", simulated_name("any")).member("object", "model");
    writer.member("owned_by", "evalfleet-simulator");
    writer.end_object().end_array().end_object();
    return out;
}

}  // namespace evalfleet::simulator
