#include "cli/commands/token.hpp"

#include "cli/output.hpp"
#include "cli/random.hpp"
#include "cli/remote/connection.hpp"
#include "cli/text_file.hpp"
#include "common/job/sha256.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace evalfleet::cli {

namespace {

constexpr std::string_view kPrefix = "evalfleet_";
constexpr std::size_t kRandomBytes = 32;

bool makes_new(const TokenOptions& options) {
    return !options.what || options.what == "new";
}

std::string_view to_string(TokenRole role) {
    switch (role) {
        case TokenRole::reader:
            return "reader";
        case TokenRole::submitter:
            return "submitter";
        default:
            return "admin";
    }
}

// As coordinators take it.
Status check_name(const std::string& name) {
    const bool is_name =
        !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view(".-_@").find(c) != std::string_view::npos;
        });
    if (is_name) return {};
    return Error{ErrorKind::invalid, "--name: allowed: 1 to 64 letters, digits and . - _ @"};
}

std::string hash_of(std::string_view token) {
    job::Sha256 hash;
    hash.add(token);
    return hash.hex();
}

Result<std::string> blocking_given_token(const TokenOptions& options) {
    if (!options.token_file) {
        if (const char* variable = std::getenv("EVALFLEET_TOKEN"); variable != nullptr)
            return remote::read_token(variable, "EVALFLEET_TOKEN");
    }
    const std::string file = options.token_file.value_or("-");
    const auto text = read_text_file(file);
    if (!text) return text.error();
    return remote::read_token(*text, file == "-" ? "<stdin>" : file);
}

std::string to_json(const TokenOptions& options, const std::string& token) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object();
    if (makes_new(options)) writer.member("token", token);
    writer.member("name", options.name)
        .member("role", to_string(options.role))
        .member("sha256", hash_of(token))
        .member("line", tokens_file_line(options.name, options.role, token))
        .end_object();
    return text + '\n';
}

std::string to_text(const TokenOptions& options, const std::string& token) {
    const std::string line = tokens_file_line(options.name, options.role, token);
    if (!makes_new(options)) return line + '\n';
    return fmt::format(
        "The token, which is not shown again:\n\n    {}\n\n"
        "The line for the coordinator's tokens file, under \"tokens:\":\n\n  {}\n",
        token, line);
}

}  // namespace

Result<std::string> make_token() {
    const auto secret = random_hex(kRandomBytes);
    if (!secret) return secret.error();
    return std::string(kPrefix) + *secret;
}

std::string tokens_file_line(const std::string& name, TokenRole role, std::string_view token) {
    return fmt::format("- {{name: \"{}\", role: {}, sha256: \"{}\"}}", name, to_string(role),
                       hash_of(token));
}

Result<ExitCode> run_token(const TokenOptions& options) {
    if (!makes_new(options) && options.what != "hash")
        return Error{ErrorKind::invalid,
                     "ACTION: found '" + *options.what + "', allowed: new, hash"};
    if (const Status named = check_name(options.name); !named) return named.error();
    const auto token = makes_new(options) ? make_token() : blocking_given_token(options);
    if (!token) return token.error();
    const Status printed =
        print(options.json ? to_json(options, *token) : to_text(options, *token));
    if (!printed) return printed.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
