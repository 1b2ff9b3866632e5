#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evalfleet::redaction {

/// What a redacted piece of text was. The names stand in `[REDACTED:name]` and in the summary.
enum class Kind : std::uint8_t {
    secret,        ///< a value the program knows to be secret, in any of its encodings
    bearer_token,  ///< behind "Bearer"
    api_key,       ///< the key format of a model provider, code host or other service
    cloud_key,     ///< AWS keys, Azure account keys and shared access signatures
    jwt,           ///< a JSON Web Token
    private_key,   ///< a PEM block, also one without its end
    url_password,  ///< the password in scheme://user:password@host
    credential,    ///< the value of a header or setting whose name says so
    email,
    phone,
    payment_card,  ///< 13-19 digits that pass Luhn and begin like a card network's
    national_id,   ///< see national_id.hpp
    iban,          ///< an international bank account number, by country and checksum
    ip_address,    ///< IPv4 or IPv6, but for those that are the same on every machine
};

inline constexpr std::size_t kKindCount = 14;

[[nodiscard]] constexpr std::string_view to_string(Kind kind) noexcept {
    constexpr std::array<std::string_view, kKindCount> kNames = {
        "secret",       "bearer_token", "api_key",    "cloud_key", "jwt",
        "private_key",  "url_password", "credential", "email",     "phone",
        "payment_card", "national_id",  "iban",       "ip_address"};
    return kNames[static_cast<std::size_t>(kind)];
}

/// How many pieces of each kind were replaced; indexed by `Kind`.
using Counts = std::array<std::uint64_t, kKindCount>;

}  // namespace evalfleet::redaction
