#include "common/redis/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace evalfleet::redis {

namespace {

constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
    bool is_unix = false;
    bool has_tls = false;
    std::optional<Discovery::Kind> discovery{};
};

Error invalid(std::string message) {
    return Error{ErrorKind::invalid, "Redis URL: " + std::move(message)};
}

/// Splits at the first `separator`; the second part is empty if there is none.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text,
                                                                   char separator) {
    const std::size_t place = text.find(separator);
    if (place == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, place), text.substr(place + 1)};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Result<std::string> percent_decode(std::string_view text, std::string_view what) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const std::string_view digits = text.substr(i + 1, 2);
        const auto byte = parse_number<unsigned char>(digits, 16);
        if (digits.size() != 2 || !byte)
            return invalid(fmt::format("the {} has a '%' without two hexadecimal digits", what));
        decoded += static_cast<char>(*byte);
        i += 2;
    }
    return decoded;
}

Status decode_into(std::string& field, std::string_view text, std::string_view what) {
    Result<std::string> decoded = percent_decode(text, what);
    if (!decoded) return decoded.error();
    field = std::move(*decoded);
    return {};
}

Result<Scheme> parse_scheme(std::string_view scheme) {
    using Kind = Discovery::Kind;
    if (scheme == "redis") return Scheme{};
    if (scheme == "rediss") return Scheme{.has_tls = true};
    if (scheme == "unix") return Scheme{.is_unix = true};
    if (scheme == "redis+sentinel") return Scheme{.discovery = Kind::sentinel};
    if (scheme == "redis+cluster") return Scheme{.discovery = Kind::cluster};
    if (scheme == "rediss+sentinel") return Scheme{.has_tls = true, .discovery = Kind::sentinel};
    if (scheme == "rediss+cluster") return Scheme{.has_tls = true, .discovery = Kind::cluster};
    return invalid(
        "must begin with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://");
}

Status parse_credentials(Config& config, std::string_view text) {
    const auto [user, password] = split(text, ':');
    if (!password) return invalid("user and password are written user:password@ or :password@");
    if (Status status = decode_into(config.user, user, "user"); !status) return status;
    return decode_into(config.password, *password, "password");
}

Result<Endpoint> parse_host_and_port(std::string_view text, std::uint16_t default_port) {
    Endpoint endpoint;
    endpoint.port = default_port;
    std::string_view port;
    if (text.starts_with('[')) {
        const auto [host, rest] = split(text.substr(1), ']');
        if (!rest || (!rest->empty() && !rest->starts_with(':')))
            return invalid("an IPv6 address is written [address]:port");
        endpoint.host = host;
        port = *rest;
        if (port == ":") return invalid("the port is missing behind ':'");
        if (!port.empty()) port.remove_prefix(1);
    } else {
        const auto [host, rest] = split(text, ':');
        if (rest && rest->empty()) return invalid("the port is missing behind ':'");
        if (Status status = decode_into(endpoint.host, host, "host"); !status)
            return status.error();
        port = rest.value_or("");
    }
    if (endpoint.host.empty()) return invalid("the host is missing");
    if (port.empty()) return endpoint;
    const auto number = parse_number<std::uint16_t>(port);
    if (!number || *number == 0) return invalid("the port must be 1 to 65535");
    endpoint.port = *number;
    return endpoint;
}

Status parse_seeds(Discovery& discovery, std::optional<std::string_view> hosts) {
    const std::uint16_t port =
        discovery.kind == Discovery::Kind::sentinel ? kSentinelPort : Endpoint().port;
    while (hosts) {
        const auto [host, rest] = split(*hosts, ',');
        Result<Endpoint> seed = parse_host_and_port(host, port);
        if (!seed) return seed.error();
        discovery.seeds.push_back(std::move(*seed));
        hosts = rest;
    }
    return {};
}

Status parse_database(Config& config, std::string_view text) {
    const auto number = parse_number<int>(text);
    if (!number || *number < 0) return invalid("the database must be a number from 0 on");
    config.database = *number;
    return {};
}

// `/master[/database]` behind the sentinels.
Status parse_master(Config& config, std::string_view path) {
    const auto [master, database] = split(path.substr(std::min<std::size_t>(1, path.size())), '/');
    if (master.empty()) return invalid("the name of the master is missing: host/master");
    if (Status status = decode_into(config.discovery->master, master, "name of the master");
        !status)
        return status;
    return database ? parse_database(config, *database) : Status();
}

Status parse_option(Config& config, std::string_view option) {
    const auto [name, value] = split(option, '=');
    if (!value) return invalid("options are written name=value");
    if (name == "db") return parse_database(config, *value);
    if (name == "client_name") return decode_into(config.client_name, *value, name);
    if (config.discovery && config.discovery->kind == Discovery::Kind::sentinel) {
        Discovery& sentinels = *config.discovery;
        if (name == "sentinel_user") return decode_into(sentinels.sentinel_user, *value, name);
        if (name == "sentinel_password")
            return decode_into(sentinels.sentinel_password, *value, name);
    }

    std::string TlsConfig::*field = nullptr;
    if (name == "ca_file") field = &TlsConfig::ca_file;
    if (name == "cert_file") field = &TlsConfig::cert_file;
    if (name == "key_file") field = &TlsConfig::key_file;
    if (name == "server_name") field = &TlsConfig::server_name;
    if (field == nullptr)
        return invalid(
            "the options are db, client_name, ca_file, cert_file, key_file, server_name, and with "
            "sentinels sentinel_user and sentinel_password");
    if (!config.tls) return invalid(fmt::format("the option {} needs rediss://", name));
    return decode_into((*config.tls).*field, *value, name);
}

Status parse_options(Config& config, std::optional<std::string_view> options) {
    while (options && !options->empty()) {
        const auto [option, rest] = split(*options, '&');
        if (Status status = parse_option(config, option); !status) return status;
        options = rest;
    }
    return {};
}

Status parse_location(Config& config, const Scheme& scheme, std::string_view location) {
    // The password may hold an '@' that somebody forgot to encode; a host never does.
    const std::size_t slash = location.find('/');
    const std::string_view authority = location.substr(0, slash);
    const std::string_view path =
        slash == std::string_view::npos ? std::string_view() : location.substr(slash);

    const std::size_t at = authority.rfind('@');
    std::string_view host = authority;
    if (at != std::string_view::npos) {
        if (Status status = parse_credentials(config, authority.substr(0, at)); !status)
            return status;
        host = authority.substr(at + 1);
    }
    if (scheme.is_unix) {
        if (!host.empty() || path.size() < 2) return invalid("a unix socket is unix:///its/path");
        return decode_into(config.endpoint.unix_path, path, "path");
    }
    if (scheme.discovery) {
        if (Status status = parse_seeds(*config.discovery, host); !status) return status;
        if (*scheme.discovery == Discovery::Kind::sentinel) return parse_master(config, path);
    } else {
        Result<Endpoint> endpoint = parse_host_and_port(host, Endpoint().port);
        if (!endpoint) return endpoint.error();
        config.endpoint = std::move(*endpoint);
    }
    if (path.size() <= 1) return {};
    return parse_database(config, path.substr(1));
}

}  // namespace

Result<Config> parse_url(std::string_view url, std::string password) {
    const std::size_t end_of_scheme = url.find("://");
    const Result<Scheme> scheme = parse_scheme(url.substr(0, end_of_scheme));
    if (!scheme) return scheme.error();
    if (end_of_scheme == std::string_view::npos) return invalid("'://' is missing");
    if (url.find('#') != std::string_view::npos) return invalid("'#' must be written %23");

    Config config;
    if (scheme->has_tls) config.tls.emplace();
    if (scheme->discovery) config.discovery.emplace().kind = *scheme->discovery;
    const auto [location, options] = split(url.substr(end_of_scheme + 3), '?');
    if (Status status = parse_location(config, *scheme, location); !status) return status.error();
    if (Status status = parse_options(config, options); !status) return status.error();
    if (!password.empty()) {
        if (!config.password.empty())
            return invalid("has a password, and another one is given by itself");
        config.password = std::move(password);
    }
    if (Status status = validate(config); !status) return status.error();
    return config;
}

}  // namespace evalfleet::redis
