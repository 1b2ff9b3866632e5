#pragma once

#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::redis {

/// The variables that hold the password by itself, as it is and not percent-encoded: in clear, or
/// the name of a file whose first line it is.
inline constexpr std::string_view kPasswordVariable = "EVALFLEET_REDIS_PASSWORD";
inline constexpr std::string_view kPasswordFileVariable = "EVALFLEET_REDIS_PASSWORD_FILE";

/// Looks up an environment variable.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// The configuration that a URL stands for (see `parse_url`), with the password of one of the
/// variables if one is set. `invalid` if there is more than one password, or the file cannot be
/// read; no message holds a password. Blocks for a file.
[[nodiscard]] Result<Config> blocking_read_address(std::string_view url, const Lookup& lookup);

}  // namespace evalfleet::redis
