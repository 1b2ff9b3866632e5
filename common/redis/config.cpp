#include "common/redis/config.hpp"

#include <fmt/format.h>

#include <string_view>

namespace evalfleet::redis {

namespace {

constexpr std::size_t kMaxUnixPathBytes = 107;
constexpr std::size_t kMaxSeeds = 64;

Error wrong(std::string_view field, std::string_view value, std::string_view rule) {
    return Error{ErrorKind::invalid, fmt::format("redis: {} is '{}', {}", field, value, rule)};
}

Error wrong(std::string_view field, std::chrono::milliseconds value, std::string_view rule) {
    return wrong(field, fmt::format("{} ms", value.count()), rule);
}

bool is_plain_word(std::string_view text) {
    for (const char c : text)
        if (c <= ' ' || c > '~') return false;
    return true;
}

Status validate_endpoint(const Config& config) {
    const Endpoint& endpoint = config.endpoint;
    if (endpoint.unix_path.size() > kMaxUnixPathBytes)
        return wrong("unix_path", endpoint.unix_path, "a unix socket path has at most 107 bytes");
    if (endpoint.is_unix() && config.tls)
        return wrong("unix_path", endpoint.unix_path, "TLS needs a TCP endpoint");
    if (!endpoint.is_unix() && endpoint.host.empty())
        return wrong("host", endpoint.host, "must not be empty");
    if (!endpoint.is_unix() && endpoint.port == 0) return wrong("port", "0", "must be 1 to 65535");
    if (config.tls && config.tls->cert_file.empty() != config.tls->key_file.empty())
        return wrong("cert_file", config.tls->cert_file, "certificate and key go together");
    return {};
}

Status validate_discovery(const Config& config) {
    const Discovery& discovery = *config.discovery;
    if (discovery.seeds.empty() || discovery.seeds.size() > kMaxSeeds)
        return wrong("seeds", std::to_string(discovery.seeds.size()) + " hosts", "must be 1 to 64");
    if (discovery.kind == Discovery::Kind::sentinel && discovery.master.empty())
        return wrong("master", discovery.master, "sentinels need the name of the master");
    if (!discovery.sentinel_user.empty() && discovery.sentinel_password.empty())
        return wrong("sentinel_user", discovery.sentinel_user, "a user needs a password");
    if (discovery.kind == Discovery::Kind::cluster && config.database != 0)
        return wrong("database", std::to_string(config.database), "a cluster has only 0");
    return {};
}

Status validate_times(const Config& config) {
    using std::chrono::milliseconds;
    const auto zero = milliseconds::zero();
    if (config.connect_timeout <= zero)
        return wrong("connect_timeout", config.connect_timeout, "must be positive");
    if (config.ping_interval <= zero)
        return wrong("ping_interval", config.ping_interval, "must be positive");
    if (config.ping_timeout <= zero)
        return wrong("ping_timeout", config.ping_timeout, "must be positive");
    if (config.longest_block < zero)
        return wrong("longest_block", config.longest_block, "must not be negative");
    if (config.backoff.initial <= zero)
        return wrong("backoff.initial", config.backoff.initial, "must be positive");
    if (config.backoff.max < config.backoff.initial)
        return wrong("backoff.max", config.backoff.max, "must not be less than backoff.initial");
    return {};
}

std::string to_string(const Config& config, const Discovery& discovery,
                      std::string_view credentials) {
    std::string seeds;
    for (const Endpoint& seed : discovery.seeds)
        seeds += (seeds.empty() ? "" : ",") + to_string(seed);
    const std::string_view scheme = config.tls ? "rediss" : "redis";
    if (discovery.kind == Discovery::Kind::cluster)
        return fmt::format("{}+cluster://{}{}", scheme, credentials, seeds);
    return fmt::format("{}+sentinel://{}{}/{}/{}", scheme, credentials, seeds, discovery.master,
                       config.database);
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
    if (endpoint.is_unix()) return "unix:" + endpoint.unix_path;
    const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
    if (is_ipv6) return fmt::format("[{}]:{}", endpoint.host, endpoint.port);
    return fmt::format("{}:{}", endpoint.host, endpoint.port);
}

std::string to_string(const Config& config) {
    std::string credentials;
    if (!config.user.empty() || !config.password.empty())
        credentials = fmt::format("{}{}@", config.user, config.password.empty() ? "" : ":***");
    if (config.discovery) return to_string(config, *config.discovery, credentials);
    if (config.endpoint.is_unix())
        return fmt::format("unix://{}{}?db={}", credentials, config.endpoint.unix_path,
                           config.database);
    return fmt::format("{}://{}{}/{}", config.tls ? "rediss" : "redis", credentials,
                       to_string(config.endpoint), config.database);
}

Status validate(const Config& config) {
    if (Status status = validate_endpoint(config); !status) return status;
    if (config.discovery) {
        if (Status status = validate_discovery(config); !status) return status;
    }
    if (Status status = validate_times(config); !status) return status;
    if (config.database < 0)
        return wrong("database", std::to_string(config.database), "must not be negative");
    if (!config.user.empty() && config.password.empty())
        return wrong("user", config.user, "a user needs a password");
    if (!is_plain_word(config.client_name))
        return wrong("client_name", config.client_name,
                     "must have no spaces or special characters");
    return {};
}

std::vector<std::string> secrets_of(const Config& config) {
    std::vector<std::string> secrets;
    if (!config.password.empty()) secrets.push_back(config.password);
    if (config.discovery && !config.discovery->sentinel_password.empty())
        secrets.push_back(config.discovery->sentinel_password);
    return secrets;
}

}  // namespace evalfleet::redis
