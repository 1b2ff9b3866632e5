#pragma once

#include "common/redaction/scan.hpp"

namespace evalfleet::redaction {

// Scanners for things that are secret by their shape. Each is called at a byte that cannot be
// missing from the shape, looks around within fixed bounds, and says what to replace.

/// At '-', '_' or '.': the end of a key prefix such as `sk-`, `xoxb-`, `ghp_`, `hf_`, `SG.`.
[[nodiscard]] Found find_prefixed_key(Scan& scan, std::size_t i);
/// At 'B' or 'b': `Bearer <token>`, `Basic <base64 of user:password>`.
[[nodiscard]] Found find_auth_scheme(Scan& scan, std::size_t i);
/// At the 'J' of `eyJ...`: a JSON Web Token.
[[nodiscard]] Found find_jwt(Scan& scan, std::size_t i);
/// At '-': `-----BEGIN ... PRIVATE KEY-----` with all that belongs to it.
[[nodiscard]] Found find_private_key(Scan& scan, std::size_t i);
/// At ':': the password of `scheme://user:password@host`.
[[nodiscard]] Found find_url_password(Scan& scan, std::size_t i);
/// At ':': a Telegram bot's token, `123456789:AA...`.
[[nodiscard]] Found find_bot_token(Scan& scan, std::size_t i);
/// At '~': a client secret of Azure, with `Q~` behind three characters and a digit.
[[nodiscard]] Found find_azure_secret(Scan& scan, std::size_t i);
/// At '/': what follows `hooks.slack.com/services/` and the like is as good as a password.
[[nodiscard]] Found find_webhook(Scan& scan, std::size_t i);

}  // namespace evalfleet::redaction
