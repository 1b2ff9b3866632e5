#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::http {

enum class Scheme { http, https };

[[nodiscard]] std::string_view to_string(Scheme scheme) noexcept;

/// The address of a resource, taken apart strictly: what we would send must be what was meant.
struct Url {
    Scheme scheme = Scheme::http;
    std::string userinfo{};    ///< "user:password", still encoded; never shown
    std::string host{};        ///< lower case; an IPv6 address without brackets
    std::uint16_t port = 80;   ///< the scheme's own port if none was given
    std::string target = "/";  ///< path and query, as sent; begins with "/"

    /// Takes `http` and `https` only. Refuses spaces, control and non-ASCII characters, a port out
    /// of 1..65535, an empty host, a host with characters no host has. A fragment is dropped.
    /// The error never holds the userinfo.
    [[nodiscard]] static Result<Url> parse(std::string_view text);

    [[nodiscard]] bool has_default_port() const noexcept;

    /// "host" or "host:port", an IPv6 address in brackets: what stands in `Host`.
    [[nodiscard]] std::string authority() const;

    /// "host:port" always, for CONNECT.
    [[nodiscard]] std::string host_and_port() const;

    /// Without userinfo and query: safe for logs and messages.
    [[nodiscard]] std::string redacted() const;

    /// The same server, with `path` (begins with "/") appended to this URL's path. The query of
    /// this URL, if any, is kept behind it.
    [[nodiscard]] Url with_path_appended(std::string_view path) const;
};

/// `text` with the userinfo of a URL in it replaced by "***", for URLs that may not parse.
[[nodiscard]] std::string mask_userinfo(std::string_view text);

}  // namespace evalfleet::http
