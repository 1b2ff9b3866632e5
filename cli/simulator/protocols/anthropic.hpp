#pragma once

#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

/// Anthropic's messages, `POST /v1/messages`.
class Anthropic : public Protocol {
  public:
    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
    [[nodiscard]] std::string write(const Completion& completion,
                                    std::chrono::nanoseconds worked) const override;
    [[nodiscard]] std::unique_ptr<StreamWriter> write_stream(
        const Completion& completion) const override;
    [[nodiscard]] std::string write_error(const Failure& failure) const override;
    void add_headers(const ReplyFacts& facts, http::Headers& headers) const override;

    /// The reply to `GET /v1/models`.
    [[nodiscard]] static std::string write_models();
};

/// The body of a request, whoever named the model.
[[nodiscard]] Result<ChatRequest> read_anthropic_chat(std::string model, json::Value body);

}  // namespace evalfleet::simulator
