#pragma once

#include "worker/providers/anthropic_messages.hpp"
#include "worker/providers/gemini_content.hpp"

namespace evalfleet::worker {

/// Gemini on Google's Vertex AI: POST <base_url>/publishers/google/models/<name>:generateContent,
/// where base_url ends in /v1/projects/<project>/locations/<location>.
class VertexGemini final : public GeminiContent {
  public:
    [[nodiscard]] WireRequest make_request(const Endpoint& endpoint,
                                           const ModelRequest& request) const override;
};

/// Anthropic's models there: .../publishers/anthropic/models/<name>:rawPredict, with the version of
/// the protocol in the body and without the model's name.
class VertexAnthropic final : public AnthropicMessages {
  public:
    [[nodiscard]] WireRequest make_request(const Endpoint& endpoint,
                                           const ModelRequest& request) const override;
};

}  // namespace evalfleet::worker
