#pragma once

#include "cli/simulator/config.hpp"
#include "cli/simulator/draw.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// What the simulated model says: the reference answer if it is right this time and knows it, else
/// something that is incomplete, beside the point or made up. Without a reference it repeats the
/// end of the prompt.
[[nodiscard]] std::string make_answer(std::string_view prompt,
                                      std::optional<std::string_view> reference,
                                      const SimulatorConfig& config, const Draw& draw);

/// Cuts a text to at most `max_tokens` (of four bytes each), between characters. True if it was
/// longer.
bool cut_to_tokens(std::string& text, std::int64_t max_tokens);

/// Makes a text exactly that long: what is longer is cut; what is shorter gets its own words again
/// behind it, so that the judge, who compares words, thinks of it as before. An empty one stays so.
void fit_to_tokens(std::string& text, std::uint64_t tokens);

[[nodiscard]] std::uint64_t count_tokens(std::uint64_t bytes) noexcept;

}  // namespace evalfleet::simulator
