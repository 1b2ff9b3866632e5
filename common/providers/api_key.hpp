#pragma once

#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"

#include <string>

namespace evalfleet::providers {

/// A provider's key, from where its configuration says: the environment, or a file, white space
/// around it aside. Empty if the configuration names neither. `invalid`, without a trace of the
/// key, if there is none, if it could not be sent in a header, or if it is longer than 8 KiB.
[[nodiscard]] Result<std::string> blocking_resolve_key(const ProviderConfig& provider,
                                                       const config::Environment& environment);

/// A header's secret, as if it were the key of a provider: for `blocking_resolve_key` and all that
/// keeps keys.
[[nodiscard]] ProviderConfig key_of_header(const ProviderConfig& provider,
                                           const ExtraHeader& header);

/// The same for a secret of its `auth`: `client_secret`.
[[nodiscard]] ProviderConfig key_of_auth(const ProviderConfig& provider, std::string_view member,
                                         const SecretSource& source);

}  // namespace evalfleet::providers
