#include "cli/remote/connection.hpp"

#include "common/files/file.hpp"
#include "common/http/headers.hpp"

#include <utility>

namespace evalfleet::remote {

namespace {

constexpr std::size_t kMaxTokenBytes = 4096;
constexpr const char* kTokenVariable = "EVALFLEET_TOKEN";
constexpr const char* kGroup = "Coordinator";

std::string_view strip(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const auto begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

void ConnectionOptions::add_to(config::Command& command) {
    command.option("coordinator-url", coordinator_url, "the coordinator's address")
        .value_name("URL")
        .group(kGroup);
    add_credentials_to(command);
}

void ConnectionOptions::add_credentials_to(config::Command& command) {
    command
        .option("token-file", token_file,
                "a file with the token; else it is taken from EVALFLEET_TOKEN")
        .value_name("FILE")
        .group(kGroup);
    command.option("ca-file", ca_file, "trust the authorities of this PEM file instead of ours")
        .value_name("FILE")
        .group(kGroup);
}

Result<std::string> read_token(std::string_view text, const std::string& source) {
    const std::string_view token = strip(text);
    // What stands in a header: visible ASCII.
    if (token.empty() || token.size() > kMaxTokenBytes || !http::is_request_target(token))
        return Error{ErrorKind::invalid, source + ": holds no token"};
    return std::string(token);
}

Result<Connection> blocking_resolve(const ConnectionOptions& options,
                                    const config::Environment& environment) {
    auto url = http::Url::parse(options.coordinator_url);
    if (!url) return url.error().within("--coordinator-url");
    Connection connection;
    connection.url = std::move(*url);
    connection.ca_file = options.ca_file.value_or("");
    std::string source = kTokenVariable;
    std::string text = environment(kTokenVariable).value_or("");
    if (options.token_file) {
        source = *options.token_file;
        const auto content = files::blocking_read_file(source, 2 * kMaxTokenBytes);
        if (!content) return content.error().within("--token-file");
        text = *content;
    }
    if (!options.token_file && text.empty()) return connection;
    auto token = read_token(text, source);
    if (!token) return token.error();
    connection.token = std::move(*token);
    return connection;
}

}  // namespace evalfleet::remote
