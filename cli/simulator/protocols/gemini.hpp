#pragma once

#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

/// Google's Gemini API: `POST /v1beta/models/{model}:generateContent`, and
/// `:streamGenerateContent`, which is one JSON array unless `?alt=sse` asks for events.
class Gemini : public Protocol {
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
    [[nodiscard]] std::string_view content_type() const override;
    [[nodiscard]] std::string_view stream_type(const Completion& completion) const override;
    [[nodiscard]] int status_of(FailureKind kind) const override;
    [[nodiscard]] bool refuses_blocked_prompts() const override { return false; }

    /// The reply to `GET /v1beta/models`.
    [[nodiscard]] static std::string write_models();
};

}  // namespace evalfleet::simulator
