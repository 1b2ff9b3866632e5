#include "common/archive/s3_config.hpp"

#include "common/aws/profile.hpp"
#include "common/files/file.hpp"
#include "common/http/percent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace evalfleet::archive {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 20;

std::string first_of(const config::Environment& environment,
                     std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (auto value = environment(name); value && !value->empty()) return *value;
    }
    return {};
}

bool is_region(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

bool is_sendable(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

Result<aws::Credentials> blocking_find_keys(const config::Environment& environment) {
    aws::Credentials keys;
    keys.access_key_id = first_of(environment, {"AWS_ACCESS_KEY_ID"});
    keys.secret_access_key = first_of(environment, {"AWS_SECRET_ACCESS_KEY"});
    keys.session_token = first_of(environment, {"AWS_SESSION_TOKEN"});
    std::string place = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    if (keys.access_key_id.empty() && keys.secret_access_key.empty()) {
        std::string file = first_of(environment, {"AWS_SHARED_CREDENTIALS_FILE"});
        if (file.empty()) file = first_of(environment, {"HOME"}) + "/.aws/credentials";
        std::string profile = first_of(environment, {"AWS_PROFILE"});
        if (profile.empty()) profile = "default";
        const auto text = files::blocking_read_file(file, kMaxFileBytes);
        if (!text) {
            return Error{ErrorKind::invalid,
                         "no keys for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                         "or AWS_SHARED_CREDENTIALS_FILE"};
        }
        keys = aws::read_profile(*text, profile);
        place = fmt::format("profile '{}' of {}", profile, file);
    }
    if (is_sendable(keys.access_key_id) && is_sendable(keys.secret_access_key)) return keys;
    return Error{ErrorKind::invalid,
                 place + ": allowed: an access key id and a secret access key, both"};
}

/// Every part of a path, its slashes aside.
std::string encode_path(std::string_view path) {
    std::string out;
    for (;;) {
        const auto part = path.substr(0, path.find('/'));
        out += "/" + http::percent_encode(part);
        if (part.size() == path.size()) return out;
        path.remove_prefix(part.size() + 1);
    }
}

}  // namespace

Result<S3Access> blocking_find_access(const S3Config& config,
                                      const config::Environment& environment) {
    S3Access access;
    access.region = config.region;
    if (access.region.empty())
        access.region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
    if (access.region.empty()) access.region = "us-east-1";
    if (!is_region(access.region))
        return Error{ErrorKind::invalid, "the region: found '" + access.region +
                                             "', allowed: lower-case letters, digits and -"};
    std::string endpoint = config.endpoint;
    if (endpoint.empty())
        endpoint = first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
    if (!endpoint.empty()) {
        auto url = http::Url::parse(endpoint);
        if (!url || !url->userinfo.empty() || url->target.find('?') != std::string::npos) {
            return Error{ErrorKind::invalid,
                         "the endpoint: allowed: an http or https address without user and query"};
        }
        access.endpoint = *std::move(url);
    }
    auto keys = blocking_find_keys(environment);
    if (!keys) return keys.error();
    access.credentials = *std::move(keys);
    return access;
}

Result<http::Url> object_url(const S3Access& access, const Target& target, const std::string& key,
                             const std::string& query) {
    http::Url url;
    std::string path;
    // A certificate of AWS's is good for one name before its own.
    const bool is_named = !access.endpoint && target.bucket.find('.') == std::string::npos &&
                          target.bucket.find('_') == std::string::npos;
    if (access.endpoint) {
        url = *access.endpoint;
        path = url.target;
        while (path.ends_with('/'))
            path.pop_back();
    } else {
        auto parsed = http::Url::parse(fmt::format(
            "https://{}s3.{}.amazonaws.com", is_named ? target.bucket + "." : "", access.region));
        if (!parsed) return parsed.error();
        url = *std::move(parsed);
    }
    if (!is_named) path += "/" + target.bucket;
    if (!key.empty()) path += encode_path(key);
    if (path.empty()) path = "/";
    url.target = query.empty() ? path : path + "?" + query;
    return url;
}

}  // namespace evalfleet::archive
