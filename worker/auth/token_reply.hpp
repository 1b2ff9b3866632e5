#pragma once

#include "common/result/result.hpp"
#include "worker/auth/credential.hpp"

#include <chrono>
#include <string_view>

/// What token endpoints and programs answer. Pure; what they say is not trusted, and no error
/// repeats it.
namespace evalfleet::worker {

/// A token: JSON with `access_token`, `accessToken` or `token`, and its end as `expires_in`
/// (seconds), `expires_on` (Unix time), `expiration`, `expiry` or `expireTime` (RFC 3339); or AWS's
/// `AccessKeyId`, `SecretAccessKey`, `SessionToken`, `Expiration`; or, from a program, a line of
/// plain text. `lifetime`: where no end is told.
enum class TokenForm { json, any };
[[nodiscard]] Result<Credential> read_token(std::string_view text, TokenForm form,
                                            std::chrono::system_clock::time_point now,
                                            std::chrono::seconds lifetime);

/// AWS's credentials file: the section `[profile]` with aws_access_key_id, aws_secret_access_key
/// and perhaps aws_session_token.
[[nodiscard]] Result<Credential> read_aws_profile(std::string_view text, std::string_view profile);

/// What a token endpoint says that it does not like: `error` and `error_description`, at most 300
/// bytes. Empty if it says nothing.
[[nodiscard]] std::string describe_token_error(std::string_view body);

}  // namespace evalfleet::worker
