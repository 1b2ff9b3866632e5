#include "common/providers/credential_files.hpp"

#include "common/files/file.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace evalfleet::providers {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxCredentialBytes = 64 * 1024;

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// As execvp finds it.
bool has_program(const std::string& name, const config::Environment& environment) {
    if (name.find('/') != std::string::npos) return is_program(name);
    const std::string paths = environment("PATH").value_or("/usr/bin:/bin");
    for (std::size_t begin = 0; begin <= paths.size();) {
        const std::size_t end = std::min(paths.find(':', begin), paths.size());
        if (is_program(fs::path(paths.substr(begin, end - begin)) / name)) return true;
        begin = end + 1;
    }
    return false;
}

std::optional<std::string> program_fault(const ProgramConfig& program,
                                         const config::Environment& environment) {
    if (program.argv.empty() || has_program(program.argv.front(), environment)) return std::nullopt;
    return fmt::format("there is no program '{}' that can be run; allowed: one of PATH, or a path",
                       program.argv.front());
}

std::optional<std::string> blocking_find_key_fault(const fs::path& file) {
    const auto text = files::blocking_read_file(file, kMaxCredentialBytes);
    if (!text) return text.error().message;
    const auto document = json::Document::parse(*text);
    const bool is_key = document && document->root().get<std::string>("client_email").has_value() &&
                        document->root().get<std::string>("private_key").has_value();
    if (is_key) return std::nullopt;
    return fmt::format(
        "'{}' is no key of a service account; allowed: the JSON file of one, with "
        "client_email and private_key",
        file.string());
}

}  // namespace

std::vector<CredentialFault> blocking_find_credential_faults(
    const ProviderConfig& provider, const config::Environment& environment) {
    std::vector<CredentialFault> faults;
    const auto add = [&faults](const char* member, const std::optional<std::string>& message) {
        if (message) faults.push_back({member, *message});
    };
    if (provider.program) add("command", program_fault(*provider.program, environment));
    if (!provider.auth) return faults;
    const AuthConfig& auth = *provider.auth;
    if (auth.type == AuthType::command)
        add("auth.command", program_fault(auth.program, environment));
    if (auth.type == AuthType::google && auth.credentials_file)
        add("auth.credentials_file", blocking_find_key_fault(*auth.credentials_file));
    return faults;
}

bool names_a_secret(std::string_view name) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    });
    constexpr std::array<std::string_view, 6> kSigns{"TOKEN", "KEY",        "SECRET",
                                                     "PASS",  "CREDENTIAL", "AUTH"};
    return std::any_of(kSigns.begin(), kSigns.end(), [&upper](std::string_view sign) {
        return upper.find(sign) != std::string::npos;
    });
}

}  // namespace evalfleet::providers
