#pragma once

#include "common/http/url.hpp"
#include "common/job/names.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::providers {

/// Where a secret is found: in a variable or in a file.
struct SecretSource {
    std::optional<std::string> env{};
    std::optional<std::filesystem::path> file{};

    [[nodiscard]] bool is_set() const noexcept { return env || file; }
};

/// A program of the operator's.
struct ProgramConfig {
    std::vector<std::string> argv{};  ///< found by PATH; never through a shell
    std::vector<std::string> env{};   ///< variables that it gets besides PATH, HOME, LANG, TMPDIR
};

/// How requests are let in where a fixed key is not enough.
///
/// - command: a program prints a token, and how long it is good.
/// - oauth: client credentials are exchanged for a token (Entra ID and others, RFC 6749 4.4).
/// - google: a service account's signed assertion is exchanged for a token (RFC 7523).
/// - aws: requests are signed (Signature Version 4).
enum class AuthType { command, oauth, google, aws };

struct AuthConfig {
    AuthType type = AuthType::command;
    ProgramConfig program{};                    ///< command; of aws: as `credential_process`
    std::chrono::seconds token_lifetime{300};   ///< command: where the program does not say it
    std::optional<http::Url> token_url{};       ///< oauth; google: instead of the account's own
    std::string client_id{};                    ///< oauth
    SecretSource client_secret{};               ///< oauth
    std::string scope{};                        ///< oauth, google
    std::map<std::string, std::string> form{};  ///< oauth: further fields, such as `audience`
    std::optional<std::filesystem::path> credentials_file{};  ///< google, aws
    std::string profile = "default";                          ///< aws: of the credentials file
    std::string region{};                                     ///< aws
    std::string service = "bedrock";                          ///< aws
    SecretSource access_key_id{};                             ///< aws
    SecretSource secret_access_key{};                         ///< aws
    SecretSource session_token{};                             ///< aws; may be absent
};

}  // namespace evalfleet::providers

template <>
struct evalfleet::job::Names<evalfleet::providers::AuthType> {
    static constexpr std::array values{std::string_view("command"), std::string_view("oauth"),
                                       std::string_view("google"), std::string_view("aws")};
};
