#pragma once

#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

/// Ollama's own chat, `POST /api/chat`: lines of JSON, streamed unless the request says otherwise.
class Ollama final : public Protocol {
  public:
    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
    [[nodiscard]] std::string write(const Completion& completion,
                                    std::chrono::nanoseconds worked) const override;
    [[nodiscard]] std::unique_ptr<StreamWriter> write_stream(
        const Completion& completion) const override;
    [[nodiscard]] std::string write_error(const Failure& failure) const override;
    [[nodiscard]] std::string_view content_type() const override;
    [[nodiscard]] std::string_view stream_type(const Completion& completion) const override;
    [[nodiscard]] int status_of(FailureKind kind) const override;
    [[nodiscard]] bool refuses_blocked_prompts() const override { return false; }

    /// The replies to `GET /api/tags` and `GET /api/version`.
    [[nodiscard]] static std::string write_tags();
    [[nodiscard]] static std::string write_version();
};

}  // namespace evalfleet::simulator
