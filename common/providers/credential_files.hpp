#pragma once

#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::providers {

/// What a program or a file that a provider refers to lacks.
struct CredentialFault {
    std::string member;   ///< `command`, `auth.credentials_file`
    std::string message;  ///< what was found, and what is allowed
};

/// Programs that cannot be run, and credentials that cannot be used, as far as can be told without
/// calling anybody. Secrets of which a variable or a file holds nothing but the secret are those of
/// `all_secrets_of`.
[[nodiscard]] std::vector<CredentialFault> blocking_find_credential_faults(
    const ProviderConfig& provider, const config::Environment& environment);

/// Does the name of a variable or a header say that its value is a secret? That of a region or a
/// language does not.
[[nodiscard]] bool names_a_secret(std::string_view name);

}  // namespace evalfleet::providers
