#pragma once

#include "common/redaction/scan.hpp"

#include <span>

namespace evalfleet::redaction {

/// A word that tells what the number behind it is.
struct ContextWord {
    constexpr ContextWord(std::string_view lower_case, bool is_whole = false) noexcept
        : text(lower_case), whole(is_whole), letters(letters_of(lower_case)) {}

    /// A bit for each letter that occurs: most words are ruled out by it.
    [[nodiscard]] static constexpr std::uint32_t letters_of(std::string_view text) noexcept {
        std::uint32_t bits = 0;
        for (const char c : text) {
            if (is_lower(c)) bits |= std::uint32_t{1} << (c - 'a');
        }
        return bits;
    }

    std::string_view text;
    bool whole;  ///< a word of its own: "tel", but not "hotel"
    std::uint32_t letters;
};

/// True if one of `words` stands before `i` on the same line, near it and with no digit between:
/// "SSN: 078051120", "phone_number=...", "call me at ...".
[[nodiscard]] bool has_context(const Scan& scan, std::size_t i, std::span<const ContextWord> words);

/// True if the word right before `i` is one of `labels`, in small letters: "SKU 415-555-2671",
/// "order no. 0612345678", "version is now 1.2.3.4".
[[nodiscard]] bool has_label(const Scan& scan, std::size_t i,
                             std::span<const std::string_view> labels);

/// As has_context, but behind `i`, in brackets or behind "is": "415 555 2671 (mobile)".
[[nodiscard]] bool has_context_behind(const Scan& scan, std::size_t i,
                                      std::span<const ContextWord> words);

}  // namespace evalfleet::redaction
