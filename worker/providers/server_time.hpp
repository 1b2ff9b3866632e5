#pragma once

#include "common/http/headers.hpp"
#include "common/json/value.hpp"
#include "worker/providers/protocol.hpp"

#include <optional>

/// The time that a model took as its server tells it. These measure different spans; each is named
/// in docs/semantics.md. Pure.
namespace evalfleet::worker {

/// In the bodies of servers that speak OpenAI's protocol, in milliseconds: Groq's
/// `usage.total_time` (also under `x_groq`), llama.cpp's `timings`, vLLM's `metrics`.
[[nodiscard]] std::optional<double> find_body_time(json::Value root);

/// Enters what the headers of a whole response say: a header of the provider's own
/// (`openai-processing-ms`, TGI's `x-inference-time`, LiteLLM's `x-litellm-timing-llm-api-ms`), and
/// apart from it `Server-Timing` or `x-envoy-upstream-service-time`. Not for streams, whose headers
/// are sent before the model has finished. A time that the body reports is better than any header.
void enter_header_time(const http::Headers& headers, ModelReply& reply);

}  // namespace evalfleet::worker
