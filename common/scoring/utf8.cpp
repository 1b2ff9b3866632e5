#include "common/scoring/utf8.hpp"

#include <algorithm>

namespace evalfleet::scoring {

namespace {

/// What may follow a lead byte: how many bytes in all, and the range of the second one, which is
/// where overlong forms, surrogates and too large code points show (Unicode table 3-7).
struct Sequence {
    std::size_t length;
    unsigned char second_min;
    unsigned char second_max;
};

Sequence sequence_of(unsigned char lead) {
    if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const Sequence sequence = sequence_of(lead);
    if (sequence.length == 0 || text.size() < sequence.length) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (second < sequence.second_min || second > sequence.second_max) return 0;
    const std::string_view rest = text.substr(2, sequence.length - 2);
    return std::all_of(rest.begin(), rest.end(), is_continuation) ? sequence.length : 0;
}

std::size_t utf8_count(std::string_view text) noexcept {
    std::size_t count = 0;
    while (!text.empty()) {
        text.remove_prefix(std::max<std::size_t>(utf8_length(text), 1));
        ++count;
    }
    return count;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
    const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
    const auto continuation = [&byte](std::uint32_t bits) { byte(0x80 | (bits & 0x3F)); };
    if (code_point < 0x80) {
        byte(code_point);
    } else if (code_point < 0x800) {
        byte(0xC0 | (code_point >> 6));
        continuation(code_point);
    } else if (code_point < 0x10000) {
        byte(0xE0 | (code_point >> 12));
        continuation(code_point >> 6);
        continuation(code_point);
    } else {
        byte(0xF0 | (code_point >> 18));
        continuation(code_point >> 12);
        continuation(code_point >> 6);
        continuation(code_point);
    }
}

}  // namespace evalfleet::scoring
