#pragma once

#include "cli/exit_code.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::cli {

enum class TokenRole { reader, submitter, admin };

struct TokenOptions {
    std::optional<std::string> what{};  ///< new or hash; none: new
    std::string name = "me";
    TokenRole role = TokenRole::reader;
    std::optional<std::string>
        token_file{};  ///< for `hash`; none: EVALFLEET_TOKEN, or standard input
    bool json = false;
};
/// `new`: makes a random token and prints it, once, with the line for a coordinator's tokens file.
/// `hash`: the line for a token that exists.
[[nodiscard]] Result<ExitCode> run_token(const TokenOptions& options);

/// 256 random bits behind a prefix by which scanners for secrets can know it.
[[nodiscard]] Result<std::string> make_token();

/// The entry of a tokens file: it holds the token's hash only.
[[nodiscard]] std::string tokens_file_line(const std::string& name, TokenRole role,
                                           std::string_view token);

}  // namespace evalfleet::cli
