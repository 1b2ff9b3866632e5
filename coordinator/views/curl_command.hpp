#pragma once

#include "common/job/generation_params.hpp"
#include "common/job/sample.hpp"
#include "common/providers/provider_config.hpp"

#include <string>
#include <vector>

namespace evalfleet::views {

/// A model call to be repeated by hand.
struct CurlCall {
    providers::ProviderType type = providers::ProviderType::openai;
    std::string base_url;      ///< without a slash at its end
    std::string key_variable;  ///< of the shell, which holds the key; empty: none is sent
    std::string api_version;
    std::string model;
    std::vector<job::Message> messages;
    job::SentParams params;
};

/// A command for a shell that makes the call. Holds no key; every text is quoted so that the shell
/// takes it as it is. Empty for a protocol that is not HTTP. Pure.
[[nodiscard]] std::string curl_command(const CurlCall& call);

/// Between single quotes. Pure.
[[nodiscard]] std::string shell_quote(std::string_view text);

}  // namespace evalfleet::views
