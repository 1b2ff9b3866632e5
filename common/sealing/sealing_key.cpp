#include "common/sealing/sealing_key.hpp"

#include "common/files/file.hpp"
#include "common/job/image.hpp"
#include "common/job/sha256.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

namespace evalfleet::sealing {

namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kIdDigits = 16;
constexpr std::string_view kVersion = "v1";

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;
using Key = std::array<unsigned char, SealingKey::kBytes>;

void require(bool holds) {
    if (!holds) throw std::runtime_error("AES-256-GCM of OpenSSL does not work");
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

Context make_context() {
    Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    require(context != nullptr);
    return context;
}

std::string id_of(const Key& key) {
    job::Sha256 hash;
    hash.add("evalfleet sealing key ");
    hash.add({reinterpret_cast<const char*>(key.data()), key.size()});
    return hash.hex().substr(0, kIdDigits);
}

Error file_fault(const std::filesystem::path& file, std::string_view message) {
    return {ErrorKind::invalid, fmt::format("{}: {}", file.string(), message)};
}

std::optional<unsigned char> from_hex(char high, char low) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    if (digit(high) < 0 || digit(low) < 0) return std::nullopt;
    return static_cast<unsigned char>(digit(high) * 16 + digit(low));
}

std::optional<Key> read_hex(std::string_view text) {
    Key key{};
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    if (text.size() != 2 * key.size()) return std::nullopt;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto byte = from_hex(text[2 * i], text[2 * i + 1]);
        if (!byte) return std::nullopt;
        key[i] = *byte;
    }
    return key;
}

Status blocking_check_access(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return files::last_system_error("cannot be read", file);
    if (!S_ISREG(status.st_mode)) return file_fault(file, "is not a file");
    if ((status.st_mode & (S_IRWXO | S_IWGRP)) == 0) return {};
    return file_fault(file, fmt::format("found mode {:04o}, allowed: no access for others, such as "
                                        "0600 (chmod 600)",
                                        status.st_mode & 07777));
}

struct Parts {
    std::string_view key_id;
    std::string_view base64;
};

std::optional<Parts> split(std::string_view sealed) {
    const auto first = sealed.find('.');
    if (first == std::string_view::npos || sealed.substr(0, first) != kVersion) return std::nullopt;
    const auto second = sealed.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    return Parts{sealed.substr(first + 1, second - first - 1), sealed.substr(second + 1)};
}

}  // namespace

Result<SealingKey> SealingKey::blocking_read(const std::filesystem::path& file) {
    constexpr std::size_t kMaxFileBytes = 1024;
    if (const Status closed = blocking_check_access(file); !closed) return closed.error();
    auto text = files::blocking_read_file(file, kMaxFileBytes);
    if (!text) return text.error();
    std::optional<Key> key = read_hex(*text);
    if (!key && text->size() == kBytes) {
        key.emplace();
        std::copy(text->begin(), text->end(), key->begin());
    }
    OPENSSL_cleanse(text->data(), text->size());
    if (!key)
        return file_fault(file,
                          "is no key, allowed: 32 bytes (openssl rand -out FILE 32), or 64 "
                          "hex digits");
    SealingKey sealing(*key);
    OPENSSL_cleanse(key->data(), key->size());
    return sealing;
}

SealingKey::SealingKey(const Key& key) : key_(key), id_(id_of(key)) {}

SealingKey::~SealingKey() {
    OPENSSL_cleanse(key_.data(), key_.size());
}

std::string SealingKey::seal(std::string_view text, std::string_view place) const {
    std::string sealed(kNonceBytes + text.size() + kTagBytes, '\0');
    unsigned char* nonce = bytes_of(sealed);
    require(RAND_bytes(nonce, kNonceBytes) == 1);
    const Context context = make_context();
    int size = 0;
    require(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.data(), nonce) == 1);
    require(EVP_EncryptUpdate(context.get(), nullptr, &size, bytes_of(place),
                              static_cast<int>(place.size())) == 1);
    unsigned char* cipher = nonce + kNonceBytes;
    require(EVP_EncryptUpdate(context.get(), cipher, &size, bytes_of(text),
                              static_cast<int>(text.size())) == 1);
    require(EVP_EncryptFinal_ex(context.get(), cipher + size, &size) == 1);
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                                cipher + text.size()) == 1);
    return fmt::format("{}.{}.{}", kVersion, id_, job::to_base64(sealed));
}

Result<std::string> SealingKey::open(std::string_view sealed, std::string_view place) const {
    const Error broken{ErrorKind::invalid, "was changed, cut, or belongs to another trial"};
    const auto parts = split(sealed);
    if (!parts) return broken;
    if (parts->key_id != id_)
        return Error{
            ErrorKind::denied,
            fmt::format("was sealed with the key {:.32}, this one is {}", parts->key_id, id_)};
    auto bytes = job::from_base64(parts->base64);
    if (!bytes || bytes->size() < kNonceBytes + kTagBytes) return broken;
    const std::size_t text_size = bytes->size() - kNonceBytes - kTagBytes;
    unsigned char* nonce = bytes_of(*bytes);
    unsigned char* cipher = nonce + kNonceBytes;
    const Context context = make_context();
    int size = 0;
    std::string text(text_size, '\0');
    require(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.data(), nonce) == 1);
    require(EVP_DecryptUpdate(context.get(), nullptr, &size, bytes_of(place),
                              static_cast<int>(place.size())) == 1);
    require(EVP_DecryptUpdate(context.get(), bytes_of(text), &size, cipher,
                              static_cast<int>(text_size)) == 1);
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes,
                                cipher + text_size) == 1);
    if (EVP_DecryptFinal_ex(context.get(), bytes_of(text) + size, &size) != 1) return broken;
    return text;
}

std::string key_id_of(std::string_view sealed) {
    const auto parts = split(sealed);
    return parts ? std::string(parts->key_id.substr(0, kIdDigits)) : std::string();
}

}  // namespace evalfleet::sealing
