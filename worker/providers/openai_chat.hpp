#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// OpenAI's chat completions, not streamed: POST <base_url>/chat/completions. Also what vLLM,
/// llama.cpp, TGI, Groq, OpenRouter and LiteLLM speak, each with small deviations that are
/// tolerated here: `error` as text or object, under status 200 too; usage or its details absent or
/// null.
///
/// A refusal in `message.refusal` is the answer, with `refusal` as the finish reason, so that it is
/// never taken for a wrong answer silently.
class OpenAiChat final : public Protocol {
  public:
    [[nodiscard]] http::Request make_request(const Endpoint& endpoint,
                                             const ModelRequest& request) const override;
    [[nodiscard]] Result<ModelReply> read_reply(const http::Headers& headers,
                                                std::string_view body) const override;
    [[nodiscard]] Refusal read_refusal(int status, const http::Headers& headers,
                                       std::string_view body,
                                       std::chrono::system_clock::time_point now) const override;
};

/// The name under which OpenAI serves a pinned version: `gpt-4o` of "2024-08-06" is
/// `gpt-4o-2024-08-06`. Only dates are appended (2024-08-06, 20240806, 0613); other versions, such
/// as a commit or a build, are the operator's words for what a server of his own serves under the
/// plain name.
[[nodiscard]] std::string openai_model_name(std::string_view name,
                                            const std::optional<std::string>& version);

}  // namespace evalfleet::worker
