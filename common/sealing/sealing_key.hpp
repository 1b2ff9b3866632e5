#pragma once

#include "common/result/result.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

/// Texts that only the owner of a key file can read: what models really said, where records hold
/// it redacted.
namespace evalfleet::sealing {

/// A key of AES-256-GCM. Immutable; safe to use from several threads. Its bytes are wiped when it
/// goes.
class SealingKey {
  public:
    static constexpr std::size_t kBytes = 32;
    /// Longer texts are not sealed: a record has to have room for them twice.
    static constexpr std::size_t kMaxTextBytes = 4 * 1024 * 1024;

    /// Reads a file of 32 bytes, or of 64 hex digits and a line feed. Others of the machine must
    /// have no access to it, its group none to write. `invalid` with the file's name otherwise;
    /// `not_found`, `denied`. Blocks.
    [[nodiscard]] static Result<SealingKey> blocking_read(const std::filesystem::path& file);

    explicit SealingKey(const std::array<unsigned char, kBytes>& key);
    SealingKey(const SealingKey&) = default;
    SealingKey& operator=(const SealingKey&) = default;
    ~SealingKey();

    /// Tells keys apart and nothing about them: 16 hex digits.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    /// `v1.KEYID.BASE64`: nonce, cipher text and tag. `place` is what the text belongs to; opening
    /// it for another place fails. Throws std::runtime_error only for a broken OpenSSL.
    [[nodiscard]] std::string seal(std::string_view text, std::string_view place) const;

    /// `denied`: it was sealed with another key. `invalid`: it was changed, cut, or belongs
    /// elsewhere.
    [[nodiscard]] Result<std::string> open(std::string_view sealed, std::string_view place) const;

  private:
    std::array<unsigned char, kBytes> key_;
    std::string id_;
};

/// The id of the key that something was sealed with; empty if it was not sealed at all.
[[nodiscard]] std::string key_id_of(std::string_view sealed);

}  // namespace evalfleet::sealing
