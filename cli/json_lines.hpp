#pragma once

#include "cli/exit_code.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <functional>
#include <optional>
#include <string>

namespace evalfleet::cli {

/// Writes the result for one line.
using LineTransform = std::function<Status(json::Value line, json::Writer& writer)>;

/// Reads a JSON Lines file and writes one line of JSON for each line that is not blank, in constant
/// memory. The first line that fails ends it, with an error that names file and line.
[[nodiscard]] Result<ExitCode> transform_json_lines(const std::string& input,
                                                    const std::optional<std::string>& output,
                                                    const LineTransform& transform);

}  // namespace evalfleet::cli
