#pragma once

#include "common/redaction/scan.hpp"

namespace evalfleet::redaction {

// Scanners for things that are secret by their shape. Each is called at a byte that cannot be
// missing from the shape, looks around within fixed bounds, and says what to replace.

/// At '-' or '_': the end of a key prefix such as `sk-`, `xoxb-`, `ghp_`, `hf_`.
[[nodiscard]] Found find_prefixed_key(Scan& scan, std::size_t i);
/// At 'A': Google `AIza...` and AWS `AKIA...`, `ASIA...`.
[[nodiscard]] Found find_cloud_key(Scan& scan, std::size_t i);
/// At 'B' or 'b': `Bearer <token>`.
[[nodiscard]] Found find_bearer(Scan& scan, std::size_t i);
/// At the 'J' of `eyJ...`: a JSON Web Token.
[[nodiscard]] Found find_jwt(Scan& scan, std::size_t i);
/// At '-': `-----BEGIN ... PRIVATE KEY-----` with all that belongs to it.
[[nodiscard]] Found find_private_key(Scan& scan, std::size_t i);
/// At ':': the password of `scheme://user:password@host`.
[[nodiscard]] Found find_url_password(Scan& scan, std::size_t i);
/// At ':' or '=': the value of `Authorization:`, `x-api-key:`, `AWS_SECRET_ACCESS_KEY=`, ...
[[nodiscard]] Found find_credential(Scan& scan, std::size_t i);

}  // namespace evalfleet::redaction
