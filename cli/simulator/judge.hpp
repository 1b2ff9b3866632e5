#pragma once

#include "cli/simulator/config.hpp"
#include "cli/simulator/draw.hpp"
#include "cli/simulator/judge_prompt.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// The scores of one answer, each 0, 1 or 2.
struct Verdict {
    int accuracy = 0;
    int faithfulness = 0;
    bool operator==(const Verdict&) const = default;
};

/// Compares words: how much of the reference is in the answer, and how much of the answer is in
/// what was given. Crude, but consistent: the same answer always gets the same scores.
[[nodiscard]] Verdict judge(const JudgePrompt& prompt);

/// The judge's reply: the JSON that its profile asks for, or what `ordered` says (see
/// Directive::verdict). Noise and malformed replies are drawn.
[[nodiscard]] std::string judge_reply(const JudgePrompt& prompt, const SimulatorConfig& config,
                                      const Draw& draw,
                                      const std::optional<std::string>& ordered = {});

}  // namespace evalfleet::simulator
