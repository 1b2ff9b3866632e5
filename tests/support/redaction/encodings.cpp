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

std::string octal(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    return out;
}

std::string html_padded(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x80 ? fmt::format("&#{:07};", byte) : std::string(1, c);
    }
    return out;
}

std::string base64_of_utf16(const std::string& text) {
    std::string wide;
    for (const char c : text) {
        wide += c;
        wide += '\0';
    }
    return base64(wide);
}

std::string percent_in_base64(const std::string& text) {
    return base64(percent(text));
}

std::string coloured(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 5)
        out += "\x1B[31m" + text.substr(i, 5);
    return out + "\x1B[0m";
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
        {"octal", octal},
        {"html with leading zeros", html_padded},
        {"base64 of utf16", base64_of_utf16},
        {"percent in base64", percent_in_base64},
        {"coloured", coloured},
    };
    return kAll;
}

}  // namespace evalfleet::testing
