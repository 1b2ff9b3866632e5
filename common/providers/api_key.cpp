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

Error complain(const ProviderConfig& provider, std::string_view what) {
    const std::string label =
        provider.api_key_id ? fmt::format(" (key {})", *provider.api_key_id) : "";
    return {ErrorKind::invalid, fmt::format("provider {}{}: {}", provider.name, label, what)};
}

Result<std::string> check_key(const ProviderConfig& provider, std::string_view source,
                              std::string_view text) {
    const std::string_view key = trim_all(text);
    if (key.empty()) return complain(provider, fmt::format("the key in {} is empty", source));
    if (key.size() > kMaxKeyBytes || !http::is_field_value(key)) {
        return complain(provider, fmt::format("what is in {} cannot be a key: it is too long or "
                                              "holds control characters",
                                              source));
    }
    return std::string(key);
}

}  // namespace

Result<std::string> blocking_resolve_key(const ProviderConfig& provider,
                                         const config::Environment& environment) {
    if (provider.api_key_env) {
        const auto value = environment(*provider.api_key_env);
        const std::string source = "environment variable " + *provider.api_key_env;
        if (!value) return complain(provider, fmt::format("api_key_env: {} is not set", source));
        return check_key(provider, source, *value);
    }
    if (provider.api_key_file) {
        const auto text = files::blocking_read_file(*provider.api_key_file, kMaxKeyBytes + 16);
        if (!text) return complain(provider, "api_key_file: " + text.error().message);
        return check_key(provider, "file " + provider.api_key_file->string(), *text);
    }
    return std::string();
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
