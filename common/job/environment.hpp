#pragma once

#include "common/result/result.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace evalfleet::job {

/// Stands in a run's metadata where nobody said.
inline constexpr std::string_view kUnknown = "unknown";

/// Where a program runs: region, deployment and runtime, as far as its operator says so.
using Environment = std::map<std::string, std::string, std::less<>>;

/// All that can be said of one, in the order in which it is written.
inline constexpr std::array kEnvironmentNames{
    std::string_view("region"), std::string_view("deployment"), std::string_view("runtime")};

/// Reads `region=eu-west-1,deployment=prod`: any of the three names, each once, with a value of 1
/// to 100 printable characters. Blanks around names and values do not count. `invalid` otherwise.
[[nodiscard]] Result<Environment> parse_environment(std::string_view text);

/// All three names, with `unknown` for those that are missing.
[[nodiscard]] Environment complete(Environment environment);

/// The form that `parse_environment` reads, all three names in order.
[[nodiscard]] std::string to_text(const Environment& environment);

}  // namespace evalfleet::job
