#include "common/config/surrogates.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace evalfleet::config {
namespace {

constexpr std::size_t kEscapeLength = 6;  // \uXXXX

/// The code of the escape \uXXXX that `text` begins with.
std::optional<std::uint32_t> escaped_code(std::string_view text) {
    if (text.size() < kEscapeLength || !text.starts_with("\\u")) return std::nullopt;
    std::uint32_t code = 0;
    const char* const end = text.data() + kEscapeLength;
    const auto parsed = std::from_chars(text.data() + 2, end, code, 16);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return code;
}

/// The character beyond U+FFFF that `text` begins with as a pair of escapes.
std::optional<std::uint32_t> escaped_pair(std::string_view text) {
    const auto high = escaped_code(text);
    if (!high || *high < 0xD800 || *high > 0xDBFF) return std::nullopt;
    const auto low = escaped_code(text.substr(kEscapeLength));
    if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
    return 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
}

void append_four_bytes(std::string& out, std::uint32_t code) {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
}

}  // namespace

std::string join_surrogates(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '\\') {
            out += text[i++];
        } else if (const auto code = escaped_pair(text.substr(i))) {
            append_four_bytes(out, *code);
            i += 2 * kEscapeLength;
        } else {  // an escaped backslash is copied whole, so that it cannot start an escape
            const std::string_view escape = text.substr(i, 2);
            out += escape;
            i += escape.size();
        }
    }
    return out;
}

}  // namespace evalfleet::config
