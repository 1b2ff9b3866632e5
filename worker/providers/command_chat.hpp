#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// A program of the operator's that answers: it gets the question as JSON on its standard input
/// and prints the answer as JSON (docs/providers.md). What else there is, it can speak to.
class CommandChat final : public Protocol {
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
