#include "common/json/escape.hpp"
#include "common/redaction/decoding.hpp"
#include "common/redaction/hex.hpp"
#include "common/redaction/scan.hpp"

#include <cstdint>

namespace evalfleet::redaction {
namespace {

bool is_text_byte(unsigned char byte) {
    return byte >= 0x20 ? byte != 0x7F : byte == '\n' || byte == '\r' || byte == '\t';
}

std::string decode_hex(std::string_view run) {
    if (run.size() % 2 != 0) return {};
    std::string out;
    for (std::size_t i = 0; i < run.size(); i += 2) {
        const int high = hex_value(run[i]);
        const int low = hex_value(run[i + 1]);
        const auto byte = static_cast<unsigned char>(high * 16 + low);
        if (high < 0 || low < 0 || !is_text_byte(byte)) return {};
        out += static_cast<char>(byte);
    }
    return json::is_utf8(out) ? out : std::string();
}

int base64_value(char c) {
    if (is_upper(c)) return c - 'A';
    if (is_lower(c)) return c - 'a' + 26;
    if (is_digit(c)) return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/// Text in UTF-16, as PowerShell passes it on: every other byte of Latin letters is 0.
std::string from_utf16(const std::string& bytes) {
    std::string out;
    if (bytes.size() % 2 != 0) return {};
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        if (bytes[i + 1] != '\0' || !is_text_byte(static_cast<unsigned char>(bytes[i]))) return {};
        out += bytes[i];
    }
    return out;
}

std::string decode_base64(std::string_view run) {
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : run) {
        const int value = base64_value(c);
        if (value < 0) return {};
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        const auto byte = static_cast<unsigned char>(bits >> count);
        const bool may_be_utf16 = byte == 0 && out.size() % 2 == 1;
        if (!is_text_byte(byte) && !may_be_utf16) return {};
        out += static_cast<char>(byte);
    }
    if (out.find('\0') != std::string::npos) return from_utf16(out);
    return json::is_utf8(out) ? out : std::string();
}

}  // namespace

std::string decode_run(std::string_view run) {
    constexpr std::size_t kMinHex = 16;
    if (run.starts_with("0x")) run.remove_prefix(2);
    if (run.size() >= kMinHex && hex_value(run[0]) >= 0 && hex_value(run[1]) >= 0) {
        if (std::string text = decode_hex(run); !text.empty()) return text;
    }
    // Text begins with a byte from 0x20 to 0x7E, or one from C2 to F4 that begins a character.
    const int first = run.empty() ? -1 : base64_value(run[0]);
    return (first >= 8 && first < 32) || (first >= 48 && first <= 61) ? decode_base64(run) : "";
}

}  // namespace evalfleet::redaction
