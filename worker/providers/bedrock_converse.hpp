#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// AWS Bedrock's Converse: POST <base_url>/model/<id>/converse, or /converse-stream, whose answer
/// comes in the frames of an event stream. Neither the model nor a build is reported. It has no
/// seed.
class BedrockConverse final : public Protocol {
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
