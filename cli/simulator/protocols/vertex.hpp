#pragma once

#include "cli/simulator/protocols/anthropic.hpp"
#include "cli/simulator/protocols/gemini.hpp"

namespace evalfleet::simulator {

/// Gemini on Vertex AI, under `/v1/projects/{project}/locations/{location}/publishers/google`:
/// a token in place of the key, and 401 for a wrong one.
class VertexGemini final : public Gemini {
  public:
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
    [[nodiscard]] int status_of(FailureKind kind) const override;
};

/// Anthropic's models there, under `publishers/anthropic`: `:rawPredict` and `:streamRawPredict`,
/// with the model in the path and `anthropic_version` in the body.
class VertexAnthropic final : public Anthropic {
  public:
    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
};

}  // namespace evalfleet::simulator
