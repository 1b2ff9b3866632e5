#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// OpenAI's Responses API: POST <base_url>/responses. Nothing is stored there. It has neither a
/// seed nor stop sequences.
class OpenAiResponses final : public Protocol {
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
