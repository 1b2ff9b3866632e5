#pragma once

#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

/// One `GenerateContentResponse`: the whole reply, or one chunk of it. Only the last tells why it
/// ended and how many tokens it took in all.
[[nodiscard]] std::string write_gemini_reply(const Completion& completion, std::string_view text,
                                             bool is_last);

/// A streamed reply: events with CRLF and no mark at the end, or the elements of a JSON array.
class GeminiStream final : public StreamWriter {
  public:
    GeminiStream(const Completion& completion, const Protocol& protocol)
        : completion_(completion), protocol_(protocol) {}

    [[nodiscard]] std::string begin() override { return {}; }
    [[nodiscard]] std::string text(std::string_view piece) override;
    [[nodiscard]] std::string end(std::chrono::nanoseconds worked) override;
    [[nodiscard]] std::string fail(const Failure& failure) override;

  private:
    [[nodiscard]] std::string frame(std::string_view json);

    const Completion& completion_;
    const Protocol& protocol_;
    bool has_begun_ = false;
};

}  // namespace evalfleet::simulator
