#include "coordinator/access/token_book.hpp"

#include "common/config/fields.hpp"
#include "common/job/sha256.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <set>

namespace evalfleet::access {

namespace {

constexpr std::size_t kMaxNameBytes = 64;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

// The name stands in log lines and beside runs.
bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_' || c == '@';
           });
}

}  // namespace

std::optional<TokenBook::Digest> TokenBook::digest_of_hex(std::string_view hex) {
    Digest digest{};
    if (hex.size() != 2 * digest.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const int high = hex_value(hex[2 * i]);
        const int low = hex_value(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        digest[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return digest;
}

Result<TokenBook> TokenBook::parse(std::string_view yaml, std::string file_name) {
    const auto root = config::read_yaml(yaml, std::move(file_name));
    if (!root) return root.error();
    config::Validator validator;
    config::Fields file(*root, validator);
    TokenBook book;
    std::set<std::string> names;
    const auto items = file.list("tokens");
    for (const config::YamlNode& item : items) {
        config::Fields fields(item, validator);
        Entry entry;
        std::string sha256;
        fields.require("name", entry.identity.name);
        fields.choice(
            "role", entry.identity.role,
            {{"reader", Role::reader}, {"submitter", Role::submitter}, {"admin", Role::admin}});
        fields.require("sha256", sha256);
        if (!fields.has("role")) fields.fail("role", "is required: reader, submitter or admin");
        if (fields.has("name") && !is_name(entry.identity.name))
            fields.fail("name", "allowed: 1 to 64 letters, digits and . - _ @");
        if (!names.insert(entry.identity.name).second) fields.fail("name", "stands twice");
        const auto digest = digest_of_hex(sha256);
        if (digest)
            entry.digest = *digest;
        else if (fields.has("sha256"))
            fields.fail("sha256", "allowed: 64 digits of lower-case hex");
        fields.finish();
        book.entries_.push_back(std::move(entry));
    }
    file.finish();
    if (items.empty()) file.fail("tokens", "there is no token, so that nobody could call");
    if (items.size() > kMaxTokens) file.fail("tokens", "allowed: at most 10000");
    if (const Status good = validator.status(); !good) return good.error();
    return book;
}

std::optional<Identity> TokenBook::find(std::string_view token) const {
    job::Sha256 hash;
    hash.add(token);
    return find_sha256(hash.hex());
}

std::optional<Identity> TokenBook::find_sha256(std::string_view hex) const {
    const auto digest = digest_of_hex(hex);
    if (!digest) return std::nullopt;
    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
        const bool is_equal =
            CRYPTO_memcmp(entry.digest.data(), digest->data(), entry.digest.size()) == 0;
        if (is_equal) found = &entry;
    }
    if (found == nullptr) return std::nullopt;
    return found->identity;
}

}  // namespace evalfleet::access
