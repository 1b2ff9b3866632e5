#pragma once

#include "common/job/policy.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::cli {

/// The whole of a file, or of standard input for "-". Refuses more than 64 MiB.
[[nodiscard]] Result<std::string> read_text_file(const std::string& file);

/// The error of a text that came from a file: `file:line: message` where it tells the line, else
/// `file: message`.
[[nodiscard]] Error in_file(const std::string& file, const Error& error);

/// The policy in a file; the Rubric's if none is given. Errors name file, line and field.
[[nodiscard]] Result<job::Policy> read_policy_file(const std::optional<std::string>& file);

}  // namespace evalfleet::cli
