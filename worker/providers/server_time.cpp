#include "worker/providers/server_time.hpp"

#include "worker/providers/wire_text.hpp"

#include <array>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

constexpr double kMsPerSecond = 1e3;

/// The sum of two members of an object, if the second one is there.
std::optional<double> find_sum(std::optional<json::Value> object, std::string_view first,
                               std::string_view second) {
    if (!object) return std::nullopt;
    const auto last = find_duration(object->find(second));
    if (!last) return std::nullopt;
    return find_duration(object->find(first)).value_or(0) + *last;
}

std::optional<double> find_groq_seconds(json::Value root) {
    const auto usage = root.find("usage");
    if (usage) {
        if (const auto total = find_duration(usage->find("total_time"))) return total;
    }
    const auto groq = root.find("x_groq");
    const auto streamed = groq ? groq->find("usage") : std::nullopt;
    return streamed ? find_duration(streamed->find("total_time")) : std::nullopt;
}

}  // namespace

std::optional<double> find_body_time(json::Value root) {
    if (const auto seconds = find_groq_seconds(root)) return *seconds * kMsPerSecond;
    if (const auto llama = find_sum(root.find("timings"), "prompt_ms", "predicted_ms"))
        return llama;
    return find_sum(root.find("metrics"), "time_to_first_token_ms", "generation_time_ms");
}

void enter_header_time(const http::Headers& headers, ModelReply& reply) {
    for (const std::string_view name :
         {"openai-processing-ms"sv, "x-inference-time"sv, "x-litellm-timing-llm-api-ms"sv}) {
        if (reply.provider_time_ms) break;
        reply.provider_time_ms = find_milliseconds(headers, name);
    }
    reply.server_timing_ms = find_server_timing(headers);
    if (!reply.server_timing_ms) {
        reply.server_timing_ms = find_milliseconds(headers, "x-envoy-upstream-service-time");
    }
}

}  // namespace evalfleet::worker
