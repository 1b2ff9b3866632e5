#include "worker/auth/service_account.hpp"

#include "common/json/writer.hpp"
#include "worker/providers/wire_text.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

namespace evalfleet::worker {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Key read_key(std::string_view pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> source(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    // The empty password: nobody is ever asked for one on the terminal.
    constexpr auto kNoPassword = [](char*, int, int, void*) { return 0; };
    return {source ? PEM_read_bio_PrivateKey(source.get(), nullptr, kNoPassword, nullptr) : nullptr,
            EVP_PKEY_free};
}

}  // namespace

std::string base64url(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string out;
    out.reserve((bytes.size() * 4 + 2) / 3);
    unsigned held = 0;
    unsigned bits = 0;
    for (const char c : bytes) {
        held = held << 8U | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 6; bits -= 6)
            out += kDigits[held >> (bits - 6) & 0x3FU];
        held &= 0xFFU;
    }
    if (bits > 0) out += kDigits[held << (6 - bits) & 0x3FU];
    return out;
}

Result<std::string> sign_rs256(std::string_view text, std::string_view private_pem) {
    const Error failed{ErrorKind::invalid, "private_key is no RSA key that can sign"};
    const Key key = read_key(private_pem);
    if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return failed;
    const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!digest || EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1)
        return failed;
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (EVP_DigestSign(digest.get(), nullptr, &size, data, text.size()) != 1) return failed;
    std::string signature(size, '\0');
    auto* out = reinterpret_cast<unsigned char*>(signature.data());
    if (EVP_DigestSign(digest.get(), out, &size, data, text.size()) != 1) return failed;
    signature.resize(size);
    return base64url(signature);
}

Result<ServiceAccount> read_service_account(std::string_view json) {
    const auto document = parse_body(json);
    if (!document || !document->root().is_object())
        return Error{ErrorKind::invalid, "is no JSON object"};
    const json::Value root = document->root();
    ServiceAccount account;
    account.client_email = find_text(root.find("client_email")).value_or("");
    account.private_key = find_text(root.find("private_key")).value_or("");
    account.private_key_id = find_text(root.find("private_key_id")).value_or("");
    account.token_uri =
        find_text(root.find("token_uri")).value_or("https://oauth2.googleapis.com/token");
    if (account.client_email.empty() || account.private_key.empty())
        return Error{ErrorKind::invalid,
                     "is no key of a service account: client_email or "
                     "private_key is missing"};
    return account;
}

Result<std::string> make_assertion(const ServiceAccount& account, std::string_view scope,
                                   std::string_view audience,
                                   std::chrono::system_clock::time_point now) {
    constexpr std::int64_t kHour = 3600;
    const std::int64_t issued =
        std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    std::string header;
    json::Writer head(header);
    head.begin_object().member("alg", "RS256").member("typ", "JWT");
    if (!account.private_key_id.empty()) head.member("kid", account.private_key_id);
    head.end_object();
    std::string claims;
    json::Writer writer(claims);
    writer.begin_object().member("iss", account.client_email).member("scope", scope);
    writer.member("aud", audience).member("iat", issued).member("exp", issued + kHour);
    writer.end_object();
    std::string text = base64url(header) + "." + base64url(claims);
    const auto signature = sign_rs256(text, account.private_key);
    if (!signature) return signature.error();
    return text + "." + *signature;
}

}  // namespace evalfleet::worker
