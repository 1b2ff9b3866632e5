#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// Google's service accounts: a signed assertion (RFC 7523) is exchanged for a token. Pure.
namespace evalfleet::worker {

struct ServiceAccount {
    std::string client_email;
    std::string private_key;     ///< PEM; never sent
    std::string private_key_id;  ///< may be empty
    std::string token_uri;
};

/// Reads the JSON key file of a service account.
[[nodiscard]] Result<ServiceAccount> read_service_account(std::string_view json);

/// A JWT, signed with RS256 and good for an hour. `invalid`: the key is none.
[[nodiscard]] Result<std::string> make_assertion(const ServiceAccount& account,
                                                 std::string_view scope, std::string_view audience,
                                                 std::chrono::system_clock::time_point now);

/// RSASSA-PKCS1-v1_5 with SHA-256 of `text`, in base64url (RFC 7518 3.3).
[[nodiscard]] Result<std::string> sign_rs256(std::string_view text, std::string_view private_pem);

/// Without padding (RFC 7515 2).
[[nodiscard]] std::string base64url(std::string_view bytes);

}  // namespace evalfleet::worker
