#pragma once

#include "cli/simulator/failure.hpp"
#include "common/json/value.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::simulator {

/// The first of the members that a request has and a server of this kind does not know: at its top,
/// or among Gemini's `generationConfig`, Ollama's `options`, Bedrock's `inferenceConfig`.
[[nodiscard]] std::optional<std::string> find_refused_member(json::Value body,
                                                             const std::vector<std::string>& names);

/// An error as servers write it that are not the provider itself. Must not be asked for `own`.
[[nodiscard]] std::string write_error_shape(ErrorShape shape, const Failure& failure);

}  // namespace evalfleet::simulator
