#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The messages of SOCKS 5 (RFC 1928) and of its user name and password (RFC
/// 1929). Pure.
namespace evalfleet::http::socks {

/// Whom a proxy lets in; empty: everybody.
struct Credentials {
    std::string user;
    std::string password;
};

/// `invalid`: one of the two is longer than 255 bytes.
[[nodiscard]] Status check(const Credentials& credentials);

/// What we can do: nothing, or a password as well.
[[nodiscard]] std::string greeting(bool has_credentials);

inline constexpr std::size_t kChoiceBytes = 2;
/// True if the proxy wants the password. `denied`: it takes none of what was
/// offered.
[[nodiscard]] Result<bool> read_choice(std::string_view two_bytes);

[[nodiscard]] std::string login(const Credentials& credentials);
/// `denied`: not with these.
[[nodiscard]] Status read_login(std::string_view two_bytes);

/// Asks for a connection to a name or an address written out. `invalid`: a name
/// that is too long.
[[nodiscard]] Result<std::string> request(std::string_view host, std::uint16_t port);

inline constexpr std::size_t kReplyHeadBytes = 5;
/// How many more bytes the reply has behind its first five. `transient`,
/// `denied`, `not_found`: the proxy could not, or would not.
[[nodiscard]] Result<std::size_t> read_reply(std::string_view five_bytes);

}  // namespace evalfleet::http::socks
