#include "common/json/escape.hpp"

#include <cstdint>
#include <cstring>

namespace evalfleet::json {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// High bit set in some byte if any of the eight needs a look: control, quote, backslash,
/// non-ASCII. A borrow between bytes can only raise a false alarm above a true one, never hide one.
std::uint64_t needs_look(std::uint64_t word) noexcept {
    const auto below = [](std::uint64_t w, std::uint64_t n) { return (w - kOnes * n) & ~w; };
    const std::uint64_t quote = below(word ^ (kOnes * '"'), 1);
    const std::uint64_t backslash = below(word ^ (kOnes * '\\'), 1);
    return (word | below(word, 0x20) | quote | backslash) & kHighBits;
}

bool is_plain(unsigned char byte) noexcept {
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/// The first byte at or after `from` that cannot be copied as it is.
std::size_t plain_until(std::string_view text, std::size_t from) noexcept {
    while (from + 8 <= text.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + from, 8);
        if (needs_look(word) != 0) break;
        from += 8;
    }
    while (from < text.size() && is_plain(static_cast<unsigned char>(text[from])))
        ++from;
    return from;
}

void append_ascii_escape(std::string& out, char c) {
    constexpr char kHex[] = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\b':
            out += "\\b";
            return;
        case '\f':
            out += "\\f";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += "\\u00";
    out += kHex[byte >> 4];
    out += kHex[byte & 0xF];
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto tails = [&](std::size_t from, std::size_t count) {
        for (std::size_t i = from; i < from + count; ++i) {
            if ((at(i) & 0xC0) != 0x80) return false;
        }
        return true;
    };
    if (text.empty()) return 0;
    const unsigned char lead = at(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return text.size() >= 2 && tails(1, 1) ? 2 : 0;
    // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
    if (lead >= 0xE0 && lead <= 0xEF) {
        if (text.size() < 3 || !tails(1, 2)) return 0;
        if (lead == 0xE0 && at(1) < 0xA0) return 0;
        if (lead == 0xED && at(1) > 0x9F) return 0;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        if (text.size() < 4 || !tails(1, 3)) return 0;
        if (lead == 0xF0 && at(1) < 0x90) return 0;
        if (lead == 0xF4 && at(1) > 0x8F) return 0;
        return 4;
    }
    return 0;
}

bool is_utf8(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_sequence_length(text.substr(i, 4));
        if (length == 0) return false;
        i += length;
    }
    return true;
}

void append_escaped(std::string& out, std::string_view text) {
    std::size_t begin = 0;  // of the run that is copied as it is
    std::size_t at = 0;
    while ((at = plain_until(text, at)) < text.size()) {
        const std::size_t length = utf8_sequence_length(text.substr(at, 4));
        if (length > 1) {
            at += length;
            continue;
        }
        out.append(text, begin, at - begin);
        if (length == 1) {
            append_ascii_escape(out, text[at]);
        } else {
            out += "\xEF\xBF\xBD";
        }
        begin = ++at;
    }
    out.append(text, begin, at - begin);
}

}  // namespace evalfleet::json
