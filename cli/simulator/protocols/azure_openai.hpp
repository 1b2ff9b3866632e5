#pragma once

#include "cli/simulator/protocols/openai.hpp"

namespace evalfleet::simulator {

/// OpenAI's chat as Azure serves it: `/openai/deployments/{deployment}/chat/completions` with an
/// `api-version`, and `/openai/v1/chat/completions` without one. Its replies tell what the content
/// filter found.
class AzureOpenAi final : public OpenAi {
  public:
    [[nodiscard]] Result<ChatRequest> read(const http::RequestContext& request,
                                           json::Value body) const override;
    [[nodiscard]] std::string_view key(const http::RequestContext& request) const override;
    [[nodiscard]] std::string write_error(const Failure& failure) const override;
    void add_headers(const ReplyFacts& facts, http::Headers& headers) const override;

  protected:
    [[nodiscard]] bool tells_filter_results() const override { return true; }
};

}  // namespace evalfleet::simulator
