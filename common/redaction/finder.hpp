#pragma once

#include "common/redaction/redactor.hpp"
#include "common/redaction/scan.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace evalfleet::redaction {

/// Finds what is to be replaced in a text as it stands: known secrets, then what has the shape of a
/// secret or of personal data. Refers to its index; one a call of the redactor.
class Finder {
  public:
    Finder(const SecretIndex& secrets, Options options) : secrets_(secrets), options_(options) {}

    /// In order, without overlaps. `depth`: of how many encodings the text was taken out.
    [[nodiscard]] std::vector<Match> find(std::string_view text, int depth = 0);

    /// What stands in a text whose escapes have to be resolved first, by its place in the text
    /// itself. Only what the fewest layers of escapes hide.
    [[nodiscard]] std::vector<Match> find_escaped(std::string_view text, int depth = 0);

    /// Both of them, joined where they overlap: of `abc&#45;def` the plain text shows one half.
    [[nodiscard]] std::vector<Match> find_in_layers(std::string_view text);

    /// Bytes looked at so far.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  private:
    void find_shapes(std::string_view text, std::size_t offset, int depth,
                     std::vector<Match>& found);
    [[nodiscard]] std::optional<Kind> first_kind(std::string_view content, int depth);

    const SecretIndex& secrets_;
    Options options_;
    std::uint64_t steps_ = 0;
};

/// The length of the replacement that `text` begins with, `[REDACTED:kind]` or
/// `[REDACTED:kind:digest]`; 0 if it begins with none.
[[nodiscard]] std::size_t replacement_size(std::string_view text) noexcept;

inline constexpr std::string_view kReplacementBegin = "[REDACTED:";
inline constexpr std::size_t kDigestSize = 16;

}  // namespace evalfleet::redaction
