#include "common/providers/provider_config.hpp"

#include "common/config/fields.hpp"
#include "common/http/headers.hpp"
#include "common/json/document.hpp"
#include "common/providers/auth_reader.hpp"
#include "common/providers/header_reader.hpp"
#include "common/providers/price_table.hpp"
#include "common/providers/request_members.hpp"
#include "common/redaction/redactor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace evalfleet::providers {

namespace {

using config::between;
using config::Fields;

constexpr std::uint64_t kMaxRate = 1'000'000'000'000;

template <class Enum>
std::vector<std::pair<std::string, Enum>> words_of() {
    std::vector<std::pair<std::string, Enum>> words;
    const auto& names = job::Names<Enum>::values;
    for (std::size_t i = 0; i < names.size(); ++i)
        words.emplace_back(names[i], static_cast<Enum>(i));
    return words;
}

/// Letters, digits, dot, dash, underscore: the name stands in run files, metrics and messages.
bool is_name(std::string_view name) {
    constexpr std::size_t kMaxLength = 64;
    return !name.empty() && name.size() <= kMaxLength &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
           });
}

void read_base_url(Fields& fields, http::Url& out) {
    std::string text;
    fields.require("base_url", text);
    if (text.empty()) return;
    auto url = http::Url::parse(text);
    if (!url) {
        // The text is not repeated: what cannot be parsed may hold a password anywhere.
        fields.fail("base_url",
                    fmt::format("{}, allowed: an http or https URL", url.error().message));
    } else if (!url->userinfo.empty()) {
        fields.fail("base_url",
                    "found a user name or password, allowed: a URL without them; the key belongs "
                    "into api_key_env or api_key_file");
    } else {
        out = *std::move(url);
    }
}

void read_key_source(Fields& fields, ProviderConfig& provider) {
    fields.read("api_key_env", provider.api_key_env);
    fields.read("api_key_file", provider.api_key_file);
    fields.read("api_key_id", provider.api_key_id);
    // It stands in records, in keys of Redis, in /queues and in messages: somebody's address, or
    // the key itself, must not. Equal labels stay equal.
    if (provider.api_key_id)
        provider.api_key_id = redaction::Redactor().redact_name(*provider.api_key_id).text;
    if (provider.api_key_env && provider.api_key_file) {
        fields.fail("api_key_file", "found beside api_key_env, allowed: one of the two");
    }
    if (provider.api_key_env && provider.api_key_env->empty()) {
        fields.fail("api_key_env", "found '', allowed: the name of an environment variable");
    }
    if (provider.api_key_file && provider.api_key_file->empty()) {
        fields.fail("api_key_file", "found '', allowed: the path of a file");
    }
    const bool has_key = provider.api_key_env || provider.api_key_file;
    if (has_key && traits_of(provider.type).key_header.empty())
        fields.fail(provider.api_key_env ? "api_key_env" : "api_key_file",
                    fmt::format("found, but type {} takes no key, allowed: auth",
                                job::to_string(provider.type)));
    provider.auth = read_auth(fields);
    if (has_key && provider.auth)
        fields.fail("auth", "found beside a key, allowed: one of auth, api_key_env, api_key_file");
}

/// Where the provider is: an address, or a program.
void read_place(Fields& fields, ProviderConfig& provider) {
    if (provider.type != ProviderType::command) return read_base_url(fields, provider.base_url);
    provider.program = read_program(fields, true);
    for (const char* member : {"base_url", "auth", "headers"}) {
        if (fields.has(member))
            fields.fail(member, "found, which type command does not have, allowed: command, env");
    }
}

/// A date, perhaps with `-preview`; it becomes a header or a part of the address.
void read_api_version(Fields& fields, ProviderConfig& provider) {
    fields.read("api_version", provider.api_version);
    if (!provider.api_version) return;
    if (!traits_of(provider.type).has_api_version) {
        fields.fail("api_version",
                    "found, allowed: only for types azure-openai, anthropic, vertex-anthropic");
    } else if (!is_name(*provider.api_version)) {
        fields.fail("api_version",
                    "found something that is no version, allowed: 1 to 64 letters, "
                    "digits, dots, dashes, underscores");
    }
}

std::optional<scoring::Prices> read_prices(Fields& fields) {
    const bool given = fields.has("prices");
    Fields member = fields.map("prices");
    if (!given || !member.node()) return std::nullopt;
    return read_price_members(member);
}

void read_limits(Fields& fields, Limits& limits) {
    fields.read("rpm", limits.rpm, between<std::uint64_t>(0, kMaxRate));
    fields.read("tpm", limits.tpm, between<std::uint64_t>(0, kMaxRate));
    fields.read("max_concurrent", limits.max_concurrent, between<std::uint64_t>(0, kMaxRate));
}

/// Beside the provider's other members, or under `limits`, and of single models under `models`.
void read_all_limits(Fields& fields, ProviderConfig& provider) {
    for (const char* name : {"rpm", "tpm", "max_concurrent"}) {
        if (fields.has("limits") && fields.has(name))
            fields.fail(name, "found beside limits, allowed: in one of the two places");
    }
    read_limits(fields, provider.limits);
    if (fields.has("limits")) {
        Fields member = fields.map("limits");
        if (member.node()) {
            read_limits(member, provider.limits);
            member.choice("per", provider.limit_scope, words_of<LimitScope>());
            member.finish();
        }
    }
    if (!fields.has("models")) return;
    Fields models = fields.map("models");
    if (!models.node()) return;
    for (const config::YamlMember& each : models.node()->members()) {
        Fields model = models.map(each.key);
        if (!model.node()) continue;
        const bool has_limits = model.has("limits");
        Fields limits = model.map("limits");
        if (has_limits && limits.node()) {
            read_limits(limits, provider.model_limits[each.key]);
            limits.finish();
        }
        if (const auto prices = read_prices(model)) provider.model_prices[each.key] = *prices;
        model.finish();
    }
    models.finish();
}

/// Headers that requests have by themselves, or that would break them.
bool is_own_header(const ProviderConfig& provider, std::string_view name) {
    constexpr std::array kOwn{
        "host",       "content-type",      "content-length",  "accept",
        "connection", "transfer-encoding", "accept-encoding", "anthropic-version"};
    constexpr std::array kKeys{"authorization",  "x-api-key",  "api-key",
                               "x-goog-api-key", "x-amz-date", "x-amz-security-token"};
    const auto is_same = [name](std::string_view other) { return http::iequals(name, other); };
    if (std::any_of(kOwn.begin(), kOwn.end(), is_same)) return true;
    const bool has_key = provider.api_key_env || provider.api_key_file || provider.auth;
    return has_key && std::any_of(kKeys.begin(), kKeys.end(), is_same);
}

void read_headers(Fields& fields, ProviderConfig& provider) {
    if (fields.has("headers")) {
        Fields headers = fields.map("headers");
        if (!headers.node()) return;
        for (const config::YamlMember& each : headers.node()->members()) {
            if (!http::is_token(each.key) || is_own_header(provider, each.key)) {
                static_cast<void>(headers.take(each.key));
                headers.fail(each.key,
                             "is a header that requests have by themselves, or no name of one, "
                             "allowed: others; the key belongs into api_key_env or api_key_file");
                continue;
            }
            provider.headers.push_back(read_header(headers, each.key));
        }
    }
    constexpr std::array kAccounts{std::pair{"organization", "OpenAI-Organization"},
                                   std::pair{"project", "OpenAI-Project"}};
    for (const auto& [member, header] : kAccounts) {
        std::optional<std::string> value;
        fields.read(member, value);
        if (!value) continue;
        const bool has_accounts = provider.type == ProviderType::openai ||
                                  provider.type == ProviderType::openai_responses ||
                                  provider.type == ProviderType::openai_completions;
        if (!has_accounts) {
            fields.fail(member, "found, allowed: only for OpenAI's types");
        } else if (!is_name(*value)) {
            fields.fail(member,
                        "found something that is no id, allowed: 1 to 64 letters, digits, dots, "
                        "dashes, underscores");
        } else {
            provider.headers.push_back({.name = header, .value = *value});
        }
    }
}

/// How its server is reached.
void read_connection(Fields& fields, ProviderConfig& provider) {
    fields.read("ca_file", provider.ca_file);
    fields.read("client_cert_file", provider.client_cert_file);
    fields.read("client_key_file", provider.client_key_file);
    std::optional<std::uint64_t> idle;
    fields.read("idle_timeout_ms", idle);
    constexpr std::uint64_t kLongestIdle = 3'600'000;
    if (idle && *idle > kLongestIdle)
        fields.fail("idle_timeout_ms",
                    fmt::format("found {}, allowed: 0 to {}", *idle, kLongestIdle));
    else if (idle)
        provider.idle_timeout = std::chrono::milliseconds(*idle);
    if (provider.client_cert_file.has_value() != provider.client_key_file.has_value())
        fields.fail(provider.client_cert_file ? "client_cert_file" : "client_key_file",
                    "found alone, allowed: client_cert_file and client_key_file together");
    const bool has_files = provider.ca_file || provider.client_cert_file;
    if (has_files && (provider.program || provider.base_url.scheme != http::Scheme::https))
        fields.fail(provider.ca_file ? "ca_file" : "client_cert_file",
                    "found, allowed: only with an https:// base_url");
}

void read_extra_body(Fields& fields, ProviderConfig& provider) {
    const auto node = fields.take("extra_body");
    if (!node || node->is_null()) return;
    if (!node->is_map()) {
        fields.fail("extra_body", "found " + node->describe() + ", allowed: a map");
        return;
    }
    auto spelt = in_one_spelling(provider.type, node->to_json());
    if (!spelt) return fields.fail("extra_body", spelt.error().message);
    provider.extra_body = *std::move(spelt);
    const auto document = json::Document::parse(*provider.extra_body);
    if (!document) return fields.fail("extra_body", document.error().message);
    if (const auto own = find_reserved(provider.type, document->root()))
        fields.fail("extra_body", fmt::format("found {}, which requests have by themselves, "
                                              "allowed: other members",
                                              own->path));
}

ProviderConfig read_provider(std::string name, const config::YamlNode& node,
                             config::Validator& validator) {
    ProviderConfig provider;
    provider.name = std::move(name);
    if (node.is_null()) validator.add(node.error("found nothing, allowed: a map").message);
    Fields fields(node, validator);
    if (!fields.node()) return provider;
    // Named before it is read as a choice, since only `require` reports an absent member.
    if (fields.take_required("type"))
        fields.choice("type", provider.type, words_of<ProviderType>());
    read_place(fields, provider);
    read_key_source(fields, provider);
    read_api_version(fields, provider);
    read_all_limits(fields, provider);
    fields.read("stream", provider.stream);
    if (provider.stream && !traits_of(provider.type).has_streams)
        fields.fail("stream", "found true, but a program does not stream, allowed: false");
    read_connection(fields, provider);
    read_headers(fields, provider);
    read_extra_body(fields, provider);
    provider.prices = read_prices(fields);
    fields.read("prices_file", provider.prices_file);
    if (provider.prices_file && provider.prices_file->empty())
        fields.fail("prices_file", "found '', allowed: the path of a file");
    fields.finish();
    return provider;
}

Result<Providers> read_file_node(const config::YamlNode& root) {
    config::Validator validator;
    Fields fields(root, validator);
    const auto map = fields.take_required("providers");
    fields.finish();
    if (!validator.ok()) return validator.status().error();
    if (!map) return root.error("found nothing, allowed: a map with the key providers");
    auto providers = read_providers(*map);
    if (providers && providers->empty()) {
        return map->error("found no provider, allowed: one or more");
    }
    return providers;
}

}  // namespace

std::string limit_account(const ProviderConfig& provider) {
    return provider.api_key_id ? "key:" + *provider.api_key_id : provider.name;
}

Result<Providers> read_providers(const config::YamlNode& map) {
    if (!map.is_map() && !map.is_null()) {
        return map.error(
            fmt::format("found {}, allowed: a map of providers by name", map.describe()));
    }
    config::Validator validator;
    Providers providers;
    for (const config::YamlMember& member : map.members()) {
        if (!is_name(member.key)) {
            validator.add(member.value
                              .error("is no name for a provider, allowed: 1 to 64 letters, "
                                     "digits, dots, dashes, underscores")
                              .message);
            continue;
        }
        providers.emplace(member.key, read_provider(member.key, member.value, validator));
    }
    if (!validator.ok()) return validator.status().error();
    return providers;
}

Result<Providers> read_providers_text(std::string_view text, std::string file_name) {
    const auto root = config::read_yaml(text, std::move(file_name));
    if (!root) return root.error();
    return read_file_node(*root);
}

Result<Providers> blocking_read_providers_file(const std::filesystem::path& path) {
    const auto root = config::read_yaml_file(path);
    if (!root) return root.error();
    auto providers = read_file_node(*root);
    if (!providers) return providers;
    const Status loaded = blocking_load_price_tables(*providers, path.parent_path());
    if (!loaded) return loaded.error();
    return providers;
}

}  // namespace evalfleet::providers
