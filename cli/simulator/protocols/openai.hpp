#pragma once

#include "cli/simulator/protocols/protocol.hpp"
#include "common/json/writer.hpp"

namespace evalfleet::simulator {

/// OpenAI's chat completions, `POST /v1/chat/completions`; also what vLLM, llama.cpp, OpenRouter,
/// Groq and others speak.
class OpenAi : public Protocol {
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

    /// The reply to `GET /v1/models`, and to that of one model.
    [[nodiscard]] static std::string write_models();
    [[nodiscard]] static std::string write_model(std::string_view id);

  protected:
    /// Do replies tell what the provider's content filter found?
    [[nodiscard]] virtual bool tells_filter_results() const { return false; }
};

/// The body of a request, whoever named the model.
[[nodiscard]] Result<ChatRequest> read_openai_chat(std::string model, json::Value body);

/// What Azure's content filter found: four categories, nothing in them unless `is_filtered`.
void write_filter_results(json::Writer& writer, bool is_filtered);

}  // namespace evalfleet::simulator
