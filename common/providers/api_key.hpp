#pragma once

#include "common/config/command_line.hpp"
#include "common/providers/auth_reader.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"

#include <string>
#include <vector>

namespace evalfleet::providers {

/// A secret from the environment or a file, white space around it aside. Empty if `secret` names
/// neither. `invalid`, without a trace of the
/// key, if there is none, if it could not be sent in a header, or if it is longer than 8 KiB.
[[nodiscard]] Result<std::string> blocking_read_secret(const SecretSource& secret,
                                                       const config::Environment& environment);

/// A provider's key; errors name the provider, the key's label and the member.
[[nodiscard]] Result<std::string> blocking_resolve_key(const ProviderConfig& provider,
                                                       const config::Environment& environment);

/// All secrets that a provider refers to, by the path of the member that says where each is:
/// `api_key_env`, `headers.X-Team.file`, `auth.client_secret_env`.
[[nodiscard]] std::vector<NamedSecret> all_secrets_of(const ProviderConfig& provider);

/// A header's secret, as if it were the key of a provider: for `blocking_resolve_key` and all that
/// keeps keys.
[[nodiscard]] ProviderConfig key_of_header(const ProviderConfig& provider,
                                           const ExtraHeader& header);

/// The same for a secret of its `auth`: `client_secret`.
[[nodiscard]] ProviderConfig key_of_auth(const ProviderConfig& provider, std::string_view member,
                                         const SecretSource& source);

}  // namespace evalfleet::providers
