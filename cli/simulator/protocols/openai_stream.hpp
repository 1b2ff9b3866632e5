#pragma once

#include "cli/simulator/protocols/protocol.hpp"
#include "common/json/writer.hpp"

namespace evalfleet::simulator {

/// Told as `system_fingerprint`.
inline constexpr std::string_view kFingerprint = "fp_simulated";

/// The members that every object of a chat completion begins with.
void write_openai_head(json::Writer& writer, const Completion& completion, std::string_view object);
void write_openai_usage(json::Writer& writer, const Completion& completion);
[[nodiscard]] std::string_view openai_finish(const Completion& completion);

/// Azure's `prompt_filter_results` of a prompt that passed.
void write_prompt_filter(json::Writer& writer);

/// The chunks of a streamed chat completion, up to `data: [DONE]`.
class OpenAiStream final : public StreamWriter {
  public:
    OpenAiStream(const Completion& completion, const Protocol& protocol, bool tells_filter_results)
        : completion_(completion), protocol_(protocol), has_filters_(tells_filter_results) {}

    [[nodiscard]] std::string begin() override;
    [[nodiscard]] std::string text(std::string_view piece) override;
    [[nodiscard]] std::string end(std::chrono::nanoseconds worked) override;
    [[nodiscard]] std::string fail(const Failure& failure) override;

  private:
    enum class Part { role, text, finish };

    [[nodiscard]] std::string chunk(Part part, std::string_view piece = {}) const;
    void write_delta(json::Writer& writer, Part part, std::string_view piece) const;
    [[nodiscard]] std::string usage_chunk() const;

    const Completion& completion_;
    const Protocol& protocol_;
    bool has_filters_;
};

}  // namespace evalfleet::simulator
