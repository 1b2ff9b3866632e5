#include "worker/providers/half_characters.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::uint32_t kFirstHigh = 0xD800;
constexpr std::uint32_t kFirstLow = 0xDC00;
constexpr std::uint32_t kLastLow = 0xDFFF;
constexpr std::uint32_t kFirstMark = 0x10F800;  // of 2048, for all halves
constexpr std::uint32_t kBeyondBmp = 0x10000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

bool is_high(std::uint32_t code) {
    return code >= kFirstHigh && code < kFirstLow;
}

bool is_low(std::uint32_t code) {
    return code >= kFirstLow && code <= kLastLow;
}

/// A character beyond the BMP.
void append_long(std::string& out, std::uint32_t code) {
    out += static_cast<char>(0xF0U | code >> 18U);
    out += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
}

/// The code of `\uXXXX` at the beginning of a text; 0 if that is not there.
std::uint32_t escape_at(std::string_view text) {
    if (text.size() < kEscapeBytes || !text.starts_with("\\u")) return 0;
    std::uint32_t code = 0;
    const char* const end = text.data() + kEscapeBytes;
    const auto [stopped, error] = std::from_chars(text.data() + 2, end, code, 16);
    return error == std::errc() && stopped == end ? code : 0;
}

/// The half that a mark at the beginning of a text stands for; 0 if there is none.
std::uint32_t half_at(std::string_view text) {
    if (text.size() < 4 || static_cast<unsigned char>(text[0]) != 0xF4) return 0;
    std::uint32_t code = 4;
    for (std::size_t i = 1; i < 4; ++i)
        code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
    return code >= kFirstMark ? code - kFirstMark + kFirstHigh : 0;
}

}  // namespace

std::optional<std::string> mend_halves(std::string_view json, HalfPair how) {
    std::string out;
    bool is_mended = false;
    while (!json.empty()) {
        std::size_t step = json.find('\\');
        if (step != 0) {
            out += json.substr(0, step);
            json.remove_prefix(std::min(step, json.size()));
            continue;
        }
        const std::uint32_t code = escape_at(json);
        const bool is_pair = is_high(code) && is_low(escape_at(json.substr(kEscapeBytes)));
        if (!is_pair && (is_high(code) || is_low(code))) {
            is_mended = true;
            if (how == HalfPair::replace) {
                out += kReplacement;
            } else {
                append_long(out, code - kFirstHigh + kFirstMark);
            }
            json.remove_prefix(kEscapeBytes);
            continue;
        }
        step = std::min<std::size_t>(is_pair ? 2 * kEscapeBytes : 2, json.size());
        out += json.substr(0, step);
        json.remove_prefix(step);
    }
    return is_mended ? std::optional(std::move(out)) : std::nullopt;
}

std::string join_halves(std::string_view text) {
    constexpr std::size_t kMarkBytes = 4;
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::uint32_t half = half_at(text);
        if (half == 0) {
            out += text[0];
            text.remove_prefix(1);
            continue;
        }
        text.remove_prefix(kMarkBytes);
        const std::uint32_t next = half_at(text);
        if (is_high(half) && is_low(next)) {
            append_long(out, kBeyondBmp + ((half - kFirstHigh) << 10U) + (next - kFirstLow));
            text.remove_prefix(kMarkBytes);
        } else {
            out += kReplacement;
        }
    }
    return out;
}

}  // namespace evalfleet::worker
