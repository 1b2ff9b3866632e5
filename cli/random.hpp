#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <string>

namespace evalfleet::cli {

/// So many random bytes of the operating system, fit for secrets, in hex. At most 256.
[[nodiscard]] Result<std::string> random_hex(std::size_t bytes);

}  // namespace evalfleet::cli
