#pragma once

#include "cli/simulator/protocols/openai.hpp"

namespace evalfleet::simulator {

/// OpenAI's plain completions, `POST /v1/completions`, as vLLM, llama.cpp and others serve base
/// models. Errors, keys and headers are as those of chat completions.
class OpenAiCompletions final : public OpenAi {
  public:
    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string write(const Completion& completion,
                                    std::chrono::nanoseconds worked) const override;
    [[nodiscard]] std::unique_ptr<StreamWriter> write_stream(
        const Completion& completion) const override;
};

}  // namespace evalfleet::simulator
