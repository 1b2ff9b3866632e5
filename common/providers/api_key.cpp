#include "common/providers/api_key.hpp"

#include "common/files/file.hpp"
#include "common/http/headers.hpp"

#include <fmt/format.h>

namespace evalfleet::providers {

namespace {

constexpr std::uint64_t kMaxKeyBytes = 8 * 1024;

std::string_view trim_all(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Error complain(std::string what) {
    return {ErrorKind::invalid, std::move(what)};
}

Result<std::string> check_key(std::string_view source, std::string_view text) {
    const std::string_view key = trim_all(text);
    if (key.empty()) return complain(fmt::format("the key in {} is empty", source));
    if (key.size() > kMaxKeyBytes || !http::is_field_value(key)) {
        return complain(
            fmt::format("what is in {} cannot be a key: it is too long or holds "
                        "control characters",
                        source));
    }
    return std::string(key);
}

}  // namespace

Result<std::string> blocking_read_secret(const SecretSource& secret,
                                         const config::Environment& environment) {
    if (secret.env) {
        const auto value = environment(*secret.env);
        const std::string source = "environment variable " + *secret.env;
        if (!value) return complain(source + " is not set");
        return check_key(source, *value);
    }
    if (!secret.file) return std::string();
    const auto text = files::blocking_read_file(*secret.file, kMaxKeyBytes + 16);
    if (!text) return complain(text.error().message);
    return check_key("file " + secret.file->string(), *text);
}

Result<std::string> blocking_resolve_key(const ProviderConfig& provider,
                                         const config::Environment& environment) {
    auto key = blocking_read_secret({provider.api_key_env, provider.api_key_file}, environment);
    if (key) return key;
    const std::string label =
        provider.api_key_id ? fmt::format(" (key {})", *provider.api_key_id) : "";
    return key.error().within(fmt::format("provider {}{}: {}", provider.name, label,
                                          provider.api_key_env ? "api_key_env" : "api_key_file"));
}

std::vector<NamedSecret> all_secrets_of(const ProviderConfig& provider) {
    std::vector<NamedSecret> all;
    const auto add = [&all](const std::string& member, const SecretSource& source) {
        if (source.is_set()) all.push_back({member, source});
    };
    add(provider.api_key_env ? "api_key_env" : "api_key_file",
        {provider.api_key_env, provider.api_key_file});
    for (const ExtraHeader& header : provider.headers) {
        add(fmt::format("headers.{}.{}", header.name, header.env ? "env" : "file"),
            {header.env, header.file});
    }
    if (!provider.auth) return all;
    for (const NamedSecret& secret : secrets_of(*provider.auth))
        add(fmt::format("auth.{}_{}", secret.member, secret.source.env ? "env" : "file"),
            secret.source);
    return all;
}

ProviderConfig key_of_auth(const ProviderConfig& provider, std::string_view member,
                           const SecretSource& source) {
    ProviderConfig key;
    key.name = fmt::format("{}: auth.{}", provider.name, member);
    key.api_key_env = source.env;
    key.api_key_file = source.file;
    return key;
}

ProviderConfig key_of_header(const ProviderConfig& provider, const ExtraHeader& header) {
    ProviderConfig key;
    key.name = provider.name + ": headers." + header.name;
    key.api_key_env = header.env;
    key.api_key_file = header.file;
    return key;
}

}  // namespace evalfleet::providers
