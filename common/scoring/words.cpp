#include "common/scoring/words.hpp"

namespace evalfleet::scoring {

namespace {

/// The length in bytes of the White_Space character that `text` begins with, or 0. The property has
/// 25 characters, stable since Unicode 6.3: U+0009-000D, 0020, 0085, 00A0, 1680, 2000-200A, 2028,
/// 2029, 202F, 205F, 3000.
std::size_t white_space_length(std::string_view text) noexcept {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first == 0x20 || (first >= 0x09 && first <= 0x0D)) return 1;
    if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
    if (first == 0xE1) return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;
    if (first == 0xE3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
    if (first != 0xE2) return 0;
    if (byte(1) == 0x81) return byte(2) == 0x9F ? 3 : 0;
    if (byte(1) != 0x80) return 0;
    const unsigned last = byte(2);
    const bool spaces = last >= 0x80 && last <= 0x8A;
    return spaces || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;
}

}  // namespace

std::size_t count_words(std::string_view text) noexcept {
    std::size_t words = 0;
    bool in_word = false;
    while (!text.empty()) {
        const std::size_t space = white_space_length(text);
        if (space == 0 && !in_word) ++words;
        in_word = space == 0;
        text.remove_prefix(space == 0 ? 1 : space);
    }
    return words;
}

}  // namespace evalfleet::scoring
