#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// Ollama's own chat: POST <base_url>/api/chat. Streams are lines of JSON, ended by one that says
/// `done`. The time that it reports is that of reading the prompt and writing the answer; loading
/// the model is not in it.
class OllamaChat final : public Protocol {
  public:
    [[nodiscard]] WireRequest make_request(const Endpoint& endpoint,
                                           const ModelRequest& request) const override;
    [[nodiscard]] Result<ModelReply> read_reply(const http::Headers& headers,
                                                std::string_view body) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> read_stream(
        const http::Headers& headers) const override;
    [[nodiscard]] Refusal read_refusal(int status, const http::Headers& headers,
                                       std::string_view body,
                                       std::chrono::system_clock::time_point now) const override;
};

}  // namespace evalfleet::worker
