#pragma once

#include "common/result/result.hpp"
#include "coordinator/access/role.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::access {

/// The tokens that open the API, as their hashes: whoever reads the file cannot use it to call.
///
///     tokens:
///       - {name: nightly, role: submitter, sha256: 9f86d081884c7d65…}
///
/// Tokens are random, so that a plain SHA-256 is enough: there is nothing to guess. Immutable.
class TokenBook {
  public:
    static constexpr std::size_t kMaxTokens = 10'000;

    /// Reads the file strictly; `invalid` with everything that is wrong, by line. A file without a
    /// token is wrong: it would lock everybody out.
    [[nodiscard]] static Result<TokenBook> parse(std::string_view yaml, std::string file_name);

    /// Who the token belongs to. Takes the same time whichever token it is, or none: every entry is
    /// compared whole.
    [[nodiscard]] std::optional<Identity> find(std::string_view token) const;

    /// By the token's SHA-256 in hex, in the same way.
    [[nodiscard]] std::optional<Identity> find_sha256(std::string_view hex) const;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  private:
    using Digest = std::array<unsigned char, 32>;
    struct Entry {
        Identity identity;
        Digest digest{};
    };

    [[nodiscard]] static std::optional<Digest> digest_of_hex(std::string_view hex);

    std::vector<Entry> entries_;
};

}  // namespace evalfleet::access
