#pragma once

#include "common/config/command_line.hpp"
#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::remote {

/// Which coordinator a command talks to, as it was told.
struct ConnectionOptions {
    std::string coordinator_url = "http://127.0.0.1:8080";
    std::optional<std::string> token_file;
    std::optional<std::string> ca_file;

    /// Adds `--coordinator-url`, `--token-file` and `--ca-file`.
    void add_to(config::Command& command);
    /// Adds the last two only.
    void add_credentials_to(config::Command& command);
};

/// The same, read and found right.
struct Connection {
    http::Url url{};
    std::string token{};  ///< empty: none
    std::filesystem::path ca_file{};
};

/// Looks the token up: in the file if one is named, else in `EVALFLEET_TOKEN`. It is never an
/// argument, which every user of the machine could see. Errors never hold it. Blocks: reads a file.
[[nodiscard]] Result<Connection> blocking_resolve(
    const ConnectionOptions& options,
    const config::Environment& environment = config::process_environment());

/// A token as it stands in a file or a variable, without the white space around it. `invalid` if it
/// could not be one; `source` names where it came from.
[[nodiscard]] Result<std::string> read_token(std::string_view text, const std::string& source);

}  // namespace evalfleet::remote
