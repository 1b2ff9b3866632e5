#include "common/json/escape.hpp"
#include "tests/support/redaction/planted.hpp"

#include <fmt/format.h>

namespace evalfleet::testing {
namespace {

bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_ascii(char c) {
    return static_cast<unsigned char>(c) < 0x80;
}

std::string plain(const std::string& text) {
    return text;
}

std::string json(const std::string& text) {
    std::string out;
    json::append_escaped(out, text);
    return out;
}

/// Each character with `escape` that is no letter or digit.
template <class Escape>
std::string escaped(const std::string& text, Escape escape) {
    std::string out;
    for (const char c : text)
        out += is_plain(c) || !is_ascii(c) ? std::string(1, c) : escape(c);
    return out;
}

std::string json_unicode(const std::string& text) {
    return escaped(text, [](char c) { return fmt::format("\\u{:04x}", static_cast<int>(c)); });
}

std::string json_slashes(const std::string& text) {
    std::string out;
    for (const char c : json(text)) {
        if (c == '/') out += '\\';
        out += c;
    }
    return out;
}

std::string json_in_json(const std::string& text) {
    return json(json(text));
}

std::string percent(const std::string& text) {
    return escaped(text, [](char c) { return fmt::format("%{:02X}", static_cast<int>(c)); });
}

std::string percent_small(const std::string& text) {
    return escaped(text, [](char c) { return fmt::format("%{:02x}", static_cast<int>(c)); });
}

std::string percent_twice(const std::string& text) {
    return percent(percent(text));
}

std::string html(const std::string& text) {
    return escaped(text, [](char c) { return fmt::format("&#{};", static_cast<int>(c)); });
}

std::string html_hex(const std::string& text) {
    return escaped(text, [](char c) { return fmt::format("&#x{:X};", static_cast<int>(c)); });
}

std::string encode_base64(const std::string& text, std::string_view alphabet) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
        const std::size_t digits = std::min<std::size_t>(text.size() - i, 3) + 1;
        for (std::size_t k = 0; k < digits; ++k)
            out += alphabet[bits >> (18 - 6 * k) & 63U];
    }
    return out;
}

std::string base64_url(const std::string& text) {
    return encode_base64(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

std::string base64(const std::string& text) {
    std::string out =
        encode_base64(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    while (out.size() % 4 != 0)
        out += '=';
    return out;
}

std::string hex(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
}

}  // namespace

const std::vector<Encoding>& log_encodings() {
    static const std::vector<Encoding> kAll = {
        {"plain", plain},
        {"json", json},
        {"json with unicode escapes", json_unicode},
        {"json with escaped slashes", json_slashes},
        {"json in json", json_in_json},
        {"percent", percent},
        {"percent in small letters", percent_small},
        {"percent twice", percent_twice},
        {"html", html},
        {"html in hex", html_hex},
        {"base64", base64},
        {"base64url", base64_url},
        {"hex", hex},
    };
    return kAll;
}

}  // namespace evalfleet::testing
