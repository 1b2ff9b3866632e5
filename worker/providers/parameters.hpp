#pragma once

#include "common/json/writer.hpp"
#include "worker/providers/protocol.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// Is the model known to refuse a parameter (by the run file's name)? A response format counts as
/// refused only where it may be left out.
[[nodiscard]] bool is_refused(const ModelRequest& request, std::string_view parameter);

/// Writes the sampling parameters of a request under a protocol's own names, and notes those that
/// are left out, even if the model uses the same value anyway: a run's metadata tell what was sent.
class ParameterWriter {
  public:
    ParameterWriter(json::Writer& writer, const ModelRequest& request,
                    std::vector<std::string>& refused)
        : writer_(writer), request_(request), refused_(refused) {}

    /// The model takes neither temperature nor top_p: it samples at 1 and 1.
    void fix_sampling() { is_fixed_ = true; }

    void temperature(std::string_view name);
    void top_p(std::string_view name);
    void seed(std::string_view name);

    void stop(std::string_view name);

    /// The format to write now, if there is one and the model takes it.
    [[nodiscard]] const job::ResponseFormat* response_format();

    /// The provider's word for how much a model shall think, and the tokens that it may think; null
    /// if nothing is said, or the model does not take it.
    [[nodiscard]] const std::string* reasoning_effort();
    [[nodiscard]] std::optional<std::int64_t> thinking_budget();

    /// OpenAI's wish that a stream tells its tokens at the end.
    void usage_of_stream();

    /// The protocol has no such thing; noted if the run wants it.
    void no_thinking_budget() { note(request_.generation.thinking_budget, "thinking_budget"); }
    void no_reasoning_effort() { note(request_.generation.reasoning_effort, "reasoning_effort"); }
    void no_stop() { note(request_.generation.stop, "stop"); }
    void no_prompt_cache() { note(request_.generation.prompt_cache, "prompt_cache"); }

    /// The protocol has no such response format.
    void no_response_format() { refused_.emplace_back("response_format"); }

    /// Of two that exclude each other the other one is sent.
    void no_temperature() { refused_.emplace_back("temperature"); }
    void no_top_p() { refused_.emplace_back("top_p"); }

    /// The protocol has no seed at all.
    void no_seed();

  private:
    void note(const auto& wanted, std::string_view parameter) {
        if (wanted) refused_.emplace_back(parameter);
    }
    void sample(std::string_view parameter, std::string_view name, double value);

    json::Writer& writer_;
    const ModelRequest& request_;
    std::vector<std::string>& refused_;
    bool is_fixed_ = false;
};

}  // namespace evalfleet::worker
