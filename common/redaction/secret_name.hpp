#pragma once

#include <cstdint>
#include <string_view>

namespace evalfleet::redaction {

/// What a name says of the value that is given to it.
enum class NameKind : std::uint8_t {
    ordinary,
    password,   ///< whatever it is, it is secret
    secret,     ///< secret unless it is a plain word in running text
    token,      ///< secret if it looks generated
    weak,       ///< "pass" and "pw" alone: as `token`, if no name of a test looks like it
    key,        ///< secret if it is long and looks generated: keys are also indexes
    cloud,      ///< a cloud's key; as `token`
    signature,  ///< as `key`
    header,     ///< Authorization: a scheme, and then the secret
    cookie,     ///< names and values until the end of the line
};

/// `name` without quotes, in any of the usual spellings. Pure.
[[nodiscard]] NameKind classify_name(std::string_view name);

/// True if `text` ends with a word for "password" that is not of letters of ASCII alone.
[[nodiscard]] bool names_password_abroad(std::string_view text) noexcept;

}  // namespace evalfleet::redaction
