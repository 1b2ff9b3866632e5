#pragma once

#include "common/redaction/secrets.hpp"

#include <string>
#include <string_view>

namespace evalfleet::redaction {

/// A text without the secrets that are known, in any of their forms (`secret_forms`), and otherwise
/// as it is: what goes to a judge must hold no key of another provider, but all that a model said.
[[nodiscard]] std::string hide_known_secrets(std::string_view text, const Secrets& secrets);

}  // namespace evalfleet::redaction
