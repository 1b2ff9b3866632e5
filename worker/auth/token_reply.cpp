#include "worker/auth/token_reply.hpp"

#include "common/aws/profile.hpp"
#include "common/http/headers.hpp"
#include "common/json/document.hpp"
#include "worker/permits/quota.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>
#include <charconv>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;
using std::chrono::seconds;
using std::chrono::system_clock;

constexpr std::size_t kMaxTokenBytes = 16 * 1024;
constexpr std::int64_t kLongestSeconds = 7 * 86'400;

std::string_view trim_all(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_sendable(std::string_view token) {
    return !token.empty() && token.size() <= kMaxTokenBytes && http::is_field_value(token);
}

std::optional<std::string> first_text(json::Value root,
                                      std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (auto text = find_text(root.find(name)); text && !text->empty()) return text;
    }
    return std::nullopt;
}

std::optional<std::int64_t> whole_number(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    const bool is_whole = error == std::errc() && end == text->data() + text->size();
    return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

system_clock::time_point end_of(json::Value root, system_clock::time_point now, seconds lifetime) {
    const auto longest = now + seconds(kLongestSeconds);
    if (const auto in = whole_number(first_text(root, {"expires_in"sv, "expiresIn"sv})))
        return now + seconds(std::min(*in, kLongestSeconds));
    if (const auto on = whole_number(first_text(root, {"expires_on"sv})))
        return std::min(longest, system_clock::time_point(
                                     seconds(std::min<std::int64_t>(*on, std::int64_t{1} << 33))));
    const auto text =
        first_text(root, {"expiration"sv, "Expiration"sv, "expiry"sv, "expireTime"sv});
    if (const auto moment = text ? parse_rfc3339(*text) : std::nullopt)
        return std::min<system_clock::time_point>(longest, *moment);
    return now + lifetime;
}

Error unusable(std::string_view what) {
    return {ErrorKind::invalid, std::string(what)};
}

Result<Credential> read_aws_keys(json::Value root, Credential credential) {
    credential.access_key_id = first_text(root, {"AccessKeyId"sv}).value_or("");
    credential.secret = first_text(root, {"SecretAccessKey"sv}).value_or("");
    credential.session_token = first_text(root, {"SessionToken"sv, "Token"sv}).value_or("");
    const bool is_good =
        is_sendable(credential.access_key_id) && is_sendable(credential.secret) &&
        (credential.session_token.empty() || is_sendable(credential.session_token));
    if (!is_good) return unusable("AccessKeyId or SecretAccessKey is missing or no key");
    return credential;
}

}  // namespace

Result<Credential> read_token(std::string_view text, TokenForm form, system_clock::time_point now,
                              seconds lifetime) {
    const std::string_view trimmed = trim_all(text);
    Credential credential;
    credential.expires = now + lifetime;
    if (form == TokenForm::any && !trimmed.starts_with('{')) {
        if (!is_sendable(trimmed)) return unusable("what was printed is no token");
        credential.secret = trimmed;
        return credential;
    }
    const auto document = parse_body(trimmed);
    if (!document || !document->root().is_object()) return unusable("the reply is no JSON object");
    const json::Value root = document->root();
    credential.expires = end_of(root, now, lifetime);
    if (root.find("AccessKeyId")) return read_aws_keys(root, std::move(credential));
    credential.secret =
        first_text(root, {"access_token"sv, "accessToken"sv, "token"sv}).value_or("");
    if (!is_sendable(credential.secret)) return unusable("the reply holds no access_token");
    return credential;
}

Result<Credential> read_aws_profile(std::string_view text, std::string_view profile) {
    const aws::Credentials found = aws::read_profile(text, profile);
    Credential credential{.secret = found.secret_access_key,
                          .access_key_id = found.access_key_id,
                          .session_token = found.session_token};
    if (!is_sendable(credential.access_key_id) || !is_sendable(credential.secret))
        return unusable("there is no profile '" + std::string(profile) +
                        "' with aws_access_key_id and aws_secret_access_key");
    return credential;
}

std::string describe_token_error(std::string_view body) {
    constexpr std::size_t kMaxBytes = 300;
    const auto document = parse_body(body);
    if (!document || !document->root().is_object()) return {};
    std::string text = first_text(document->root(), {"error"sv}).value_or("");
    if (const auto more = first_text(document->root(), {"error_description"sv}))
        text += (text.empty() ? "" : ": ") + *more;
    return shorten(std::string_view(text).substr(0, kMaxBytes));
}

}  // namespace evalfleet::worker
