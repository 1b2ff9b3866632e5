#pragma once

#include "common/config/yaml.hpp"
#include "common/http/url.hpp"
#include "common/job/names.hpp"
#include "common/providers/auth_config.hpp"
#include "common/providers/protocol_table.hpp"
#include "common/result/result.hpp"
#include "common/scoring/cost.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::providers {

/// What a provider allows, as the operator knows it; 0: no limit is known.
struct Limits {
    std::uint64_t rpm = 0;             ///< requests a minute
    std::uint64_t tpm = 0;             ///< tokens a minute
    std::uint64_t max_concurrent = 0;  ///< calls at once
    bool operator==(const Limits&) const = default;
};

/// What a provider counts its limits by.
enum class LimitScope { key, model, key_model };

/// A header that requests carry besides their own.
struct ExtraHeader {
    std::string name;
    std::string value{};  ///< as it is; of a secret, what stands before it, such as `Bearer `
    std::optional<std::string> env{};             ///< the variable that holds the secret
    std::optional<std::filesystem::path> file{};  ///< or the file

    [[nodiscard]] bool is_secret() const noexcept { return env || file; }
};

/// Where a table of prices comes from.
struct PriceSource {
    std::string file{};                  ///< its name
    std::string as_of{};                 ///< `2026-11-19`
    std::optional<std::string> words{};  ///< the operator's own
};

/// What the operator says about one provider. Where its key is found stands here; the key itself is
/// known to workers only.
struct ProviderConfig {
    std::string name;
    ProviderType type = ProviderType::openai;
    http::Url base_url{};                      ///< http or https, without userinfo
    std::optional<ProgramConfig> program{};    ///< of type command, instead of an address
    std::optional<std::string> api_key_env{};  ///< the variable that holds the key
    std::optional<std::filesystem::path> api_key_file{};  ///< or the file; neither: no key is sent
    std::optional<std::string> api_key_id{};              ///< the operator's label for the key
    std::optional<AuthConfig> auth{};                     ///< instead of a key
    std::optional<std::string> api_version{};             ///< of the protocol, where it has one
    Limits limits{};
    LimitScope limit_scope = LimitScope::key;
    std::map<std::string, Limits, std::less<>> model_limits{};  ///< of models with their own
    bool stream = false;
    std::vector<ExtraHeader> headers{};
    std::optional<std::string> extra_body{};  ///< a JSON object, merged into the request's body
    std::optional<std::filesystem::path> ca_file{};  ///< trusted besides the system's authorities
    std::optional<std::filesystem::path> client_cert_file{};  ///< for servers that ask for one
    std::optional<std::filesystem::path> client_key_file{};   ///< of that certificate
    std::optional<std::chrono::milliseconds> idle_timeout{};  ///< of kept connections
    std::optional<scoring::Prices> prices{};
    scoring::ModelPrices model_prices{};  ///< of models with their own, those of the table included
    std::optional<std::filesystem::path> prices_file{};  ///< a table of prices: price_table.hpp
    std::optional<PriceSource> price_source{};           ///< of that, once it was read
};

/// What the other side counts limits of a key by: `key:` and the operator's label for it, so that
/// providers with the same label share one account; else the provider's name.
[[nodiscard]] std::string limit_account(const ProviderConfig& provider);

using Providers = std::map<std::string, ProviderConfig, std::less<>>;

/// Reads the map of providers by name, as it stands under `providers:`, strictly: unknown keys,
/// wrong types and contradictions are errors. One error (`invalid`) tells all of them, one a line:
/// `providers.yaml:3: providers.main.type: found 'opena', allowed: openai, ...`.
[[nodiscard]] Result<Providers> read_providers(const config::YamlNode& map);

/// Reads a whole providers file: a map with the one key `providers`. There must be at least one.
[[nodiscard]] Result<Providers> read_providers_text(std::string_view text, std::string file_name);

/// The same from a file, with the tables of prices that it names, relative to its folder;
/// `not_found` or `internal` if one cannot be read.
[[nodiscard]] Result<Providers> blocking_read_providers_file(const std::filesystem::path& path);

}  // namespace evalfleet::providers

template <>
struct evalfleet::job::Names<evalfleet::providers::LimitScope> {
    static constexpr std::array values{std::string_view("key"), std::string_view("model"),
                                       std::string_view("key_model")};
};
