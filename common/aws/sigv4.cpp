#include "common/aws/sigv4.hpp"

#include "common/http/percent.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace evalfleet::aws {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDigestBytes = 32;

std::string hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 0xFU];
    }
    return text;
}

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, kDigestBytes> digest{};
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("OpenSSL cannot compute SHA-256");
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string hmac(std::string_view key, std::string_view text) {
    std::array<unsigned char, kDigestBytes> digest{};
    unsigned size = 0;
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data, text.size(),
             digest.data(), &size) == nullptr)
        throw std::runtime_error("OpenSSL cannot compute an HMAC");
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

constexpr std::string_view kS3 = "s3";
constexpr std::string_view kBodyHash = "X-Amz-Content-Sha256";

/// Each segment of the path, as it is sent, encoded once more; of S3 as it is sent.
std::string canonical_path(std::string_view target, std::string_view service) {
    if (service == kS3) return std::string(target.substr(0, target.find('?')));
    std::string path;
    for (const std::string_view segment : split(target.substr(1, target.find('?') - 1), '/'))
        path += "/" + http::percent_encode(segment);
    return path;
}

std::string encode_again(std::string_view text) {
    return http::percent_encode(http::percent_decode(text).value_or(std::string(text)));
}

std::string canonical_query(std::string_view target) {
    const std::size_t mark = target.find('?');
    if (mark == std::string_view::npos || mark + 1 == target.size()) return {};
    std::vector<std::pair<std::string, std::string>> fields;
    for (const std::string_view field : split(target.substr(mark + 1), '&')) {
        const std::size_t equals = std::min(field.find('='), field.size());
        fields.emplace_back(encode_again(field.substr(0, equals)),
                            encode_again(field.substr(std::min(equals + 1, field.size()))));
    }
    std::sort(fields.begin(), fields.end());
    std::string query;
    for (const auto& [name, value] : fields)
        query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, value);
    return query;
}

/// Blanks at the ends go, and of several inside one stays.
std::string folded(std::string_view value) {
    std::string out;
    for (const char c : http::trim(value)) {
        if (c == ' ' && out.ends_with(' ')) continue;
        out += c;
    }
    return out;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

/// By name, the values of one name in their order.
std::map<std::string, std::string> signed_headers(const http::Request& request) {
    std::map<std::string, std::string> headers{{"host", request.url.authority()}};
    for (const auto& [name, value] : request.headers) {
        std::string& joined = headers[lower(name)];
        joined += (joined.empty() ? "" : ",") + folded(value);
    }
    return headers;
}

std::string names_of(const std::map<std::string, std::string>& headers) {
    std::string names;
    for (const auto& [name, value] : headers)
        names += (names.empty() ? "" : ";") + name;
    return names;
}

std::string scope_text(std::string_view time, const Scope& scope) {
    return fmt::format("{}/{}/{}/aws4_request", time.substr(0, 8), scope.region, scope.service);
}

}  // namespace

std::string timestamp(std::chrono::system_clock::time_point now) {
    return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string canonical_request(const http::Request& request, std::string_view service) {
    const auto headers = signed_headers(request);
    std::string text =
        fmt::format("{}\n{}\n{}\n", request.method, canonical_path(request.url.target, service),
                    canonical_query(request.url.target));
    for (const auto& [name, value] : headers)
        text += fmt::format("{}:{}\n", name, value);
    const auto told = request.headers.find(kBodyHash);
    return text + fmt::format("\n{}\n{}", names_of(headers),
                              told ? std::string(*told) : hex(sha256(request.body)));
}

std::string string_to_sign(std::string_view canonical, std::string_view time, const Scope& scope) {
    return fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope_text(time, scope),
                       hex(sha256(canonical)));
}

std::string signature(std::string_view text, std::string_view secret, std::string_view time,
                      const Scope& scope) {
    std::string key = hmac("AWS4" + std::string(secret), time.substr(0, 8));
    key = hmac(key, scope.region);
    key = hmac(key, scope.service);
    key = hmac(key, "aws4_request");
    return hex(hmac(key, text));
}

void sign(http::Request& request, const Credentials& credentials, const Scope& scope,
          std::chrono::system_clock::time_point now) {
    const std::string time = timestamp(now);
    if (scope.service == kS3 && !request.headers.contains(kBodyHash))
        request.headers.set(std::string(kBodyHash), hex(sha256(request.body)));
    request.headers.set("X-Amz-Date", time);
    if (!credentials.session_token.empty())
        request.headers.set("X-Amz-Security-Token", credentials.session_token);
    const std::string text = string_to_sign(canonical_request(request, scope.service), time, scope);
    request.headers.set("Authorization",
                        fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                    kAlgorithm, credentials.access_key_id, scope_text(time, scope),
                                    names_of(signed_headers(request)),
                                    signature(text, credentials.secret_access_key, time, scope)));
}

}  // namespace evalfleet::aws
