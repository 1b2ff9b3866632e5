#pragma once

#include "cli/simulator/protocols/protocol.hpp"
#include "common/json/writer.hpp"

namespace evalfleet::simulator {

/// The members that a message begins with.
void write_anthropic_head(json::Writer& writer, const Completion& completion);
/// Why the message ended: `stop_reason`, `stop_sequence`, and the details of a refusal.
void write_anthropic_stop(json::Writer& writer, const Completion& completion);
/// Input tokens are told without those of the cache. `output_tokens`: so far.
void write_anthropic_usage(json::Writer& writer, const TokenCounts& tokens,
                           std::uint64_t output_tokens);

/// The events of a streamed message, from `message_start` to `message_stop`.
class AnthropicStream final : public StreamWriter {
  public:
    AnthropicStream(const Completion& completion, const Protocol& protocol)
        : completion_(completion), protocol_(protocol) {}

    [[nodiscard]] std::string begin() override;
    [[nodiscard]] std::string text(std::string_view piece) override;
    [[nodiscard]] std::string end(std::chrono::nanoseconds worked) override;
    [[nodiscard]] std::string fail(const Failure& failure) override;

  private:
    const Completion& completion_;
    const Protocol& protocol_;
};

}  // namespace evalfleet::simulator
