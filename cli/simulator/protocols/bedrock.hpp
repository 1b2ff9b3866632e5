#pragma once

#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

/// AWS Bedrock's Converse: `POST /model/{id}/converse`, and `/converse-stream`, which answers in
/// the frames of an event stream. A request's key is the id of the access key that signed it; the
/// signature itself is not checked. A bearer token is a key, too.
class Bedrock final : public Protocol {
  public:
    explicit Bedrock(bool is_stream) : is_stream_(is_stream) {}

    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
    [[nodiscard]] std::string write(const Completion& completion,
                                    std::chrono::nanoseconds worked) const override;
    [[nodiscard]] std::unique_ptr<StreamWriter> write_stream(
        const Completion& completion) const override;
    [[nodiscard]] std::string write_error(const Failure& failure) const override;
    void add_headers(const ReplyFacts& facts, http::Headers& headers) const override;
    [[nodiscard]] std::string_view stream_type(const Completion&) const override {
        return "application/vnd.amazon.eventstream";
    }
    [[nodiscard]] int status_of(FailureKind kind) const override;

  private:
    bool is_stream_;
};

}  // namespace evalfleet::simulator
