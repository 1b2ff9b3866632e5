#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// OpenAI's models on Azure: chat completions at an address of their own, with the key in
/// `api-key` or a token of Entra ID. The model's name is that of the deployment, which says nothing
/// about the model behind it; the version is the operator's word for that.
///
/// `base_url` ending in `/openai/v1`: the new form, POST <base_url>/chat/completions. Otherwise the
/// classic one, POST <base_url>/openai/deployments/<name>/chat/completions?api-version=...
class AzureOpenAi final : public Protocol {
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
