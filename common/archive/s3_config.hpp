#pragma once

#include "common/archive/target.hpp"
#include "common/aws/sigv4.hpp"
#include "common/config/command_line.hpp"
#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::archive {

/// How a bucket is reached.
struct S3Config {
    std::string endpoint{};  ///< of another service than AWS; empty: AWS, unless a variable says it
    std::string region{};    ///< empty: what a variable says, else us-east-1
};

/// The same with what variables say, and the keys. Never shown.
struct S3Access {
    std::optional<http::Url> endpoint{};  ///< none: AWS
    std::string region{};
    aws::Credentials credentials{};
};

/// Looks at AWS_REGION (or AWS_DEFAULT_REGION), AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL), and for
/// keys at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else at the profile
/// AWS_PROFILE (or `default`) of AWS_SHARED_CREDENTIALS_FILE (or ~/.aws/credentials). `invalid`
/// names what is missing. Blocks.
[[nodiscard]] Result<S3Access> blocking_find_access(const S3Config& config,
                                                    const config::Environment& environment);

/// The address of an object, or of the bucket for an empty key: below the endpoint with the bucket
/// in the path; at AWS with the bucket in the name of the host where TLS allows that. Pure.
[[nodiscard]] Result<http::Url> object_url(const S3Access& access, const Target& target,
                                           const std::string& key, const std::string& query);

}  // namespace evalfleet::archive
