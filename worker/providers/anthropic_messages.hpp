#pragma once

#include "common/json/writer.hpp"
#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// Anthropic's messages: POST <base_url>/v1/messages with the key in `x-api-key` and
/// `anthropic-version` (2023-06-01 unless the operator says otherwise).
///
/// There is no seed. Temperature and top_p exist in 2023-06-01 only, for models up to generation
/// 4.6, and from 4.1 on only one of the two at a time; what cannot be sent is left out and told.
///
/// The provider counts cached input tokens apart; here they are part of the input. A refusal
/// without text is answered with its explanation, where there is one.
class AnthropicMessages : public Protocol {
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

/// The members of a request's body but for the model's name, which not every host of these models
/// wants there. `takes_sampling`: the version of the protocol has temperature and top_p.
void write_anthropic_members(json::Writer& writer, bool takes_sampling, std::string_view model,
                             const ModelRequest& request, std::vector<std::string>& refused);

}  // namespace evalfleet::worker
