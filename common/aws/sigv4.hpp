#pragma once

#include "common/http/message.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// AWS Signature Version 4 with the signature in a header. S3 (`service` is "s3") differs: its
/// paths are signed as they are sent, and the hash of the body is a header. Pure.
namespace evalfleet::aws {

struct Credentials {
    std::string access_key_id;
    std::string secret_access_key;  ///< never sent
    std::string session_token{};    ///< of temporary credentials; empty: they are not
};

struct Scope {
    std::string region;
    std::string service;
};

/// Of S3 adds `X-Amz-Content-Sha256`, unless it is there. Adds `X-Amz-Date`, `X-Amz-Security-Token`
/// where there is one, and `Authorization`, which signs the method, path, query, all headers that
/// the request has by now, its host, and the body.
void sign(http::Request& request, const Credentials& credentials, const Scope& scope,
          std::chrono::system_clock::time_point now);

/// The steps in between, for tests and for whoever checks a signature.
[[nodiscard]] std::string canonical_request(const http::Request& request,
                                            std::string_view service = {});
[[nodiscard]] std::string string_to_sign(std::string_view canonical, std::string_view timestamp,
                                         const Scope& scope);
[[nodiscard]] std::string signature(std::string_view string_to_sign, std::string_view secret,
                                    std::string_view timestamp, const Scope& scope);

/// 20150830T123600Z.
[[nodiscard]] std::string timestamp(std::chrono::system_clock::time_point now);

}  // namespace evalfleet::aws
