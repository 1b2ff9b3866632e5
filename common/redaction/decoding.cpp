#include "common/redaction/decoding.hpp"

#include "common/json/escape.hpp"
#include "common/redaction/scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace evalfleet::redaction {
namespace {

/// How many bytes an escape takes, and the byte it stands for.
struct Escape {
    std::size_t size = 0;         ///< 0: none
    std::optional<char> value{};  ///< empty: stands for nothing that can be seen
};

constexpr std::array<std::int8_t, 256> kHexValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (int i = 0; i < 10; ++i)
        values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
    for (int i = 0; i < 6; ++i) {
        values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
        values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
    }
    return values;
}();

int hex_value(char c) {
    return kHexValues[static_cast<unsigned char>(c)];
}

/// The number of `digits` (at most six of them), -1 if there is another character.
int to_number(std::string_view digits, int base) {
    if (digits.empty() || digits.size() > 6) return -1;
    int number = 0;
    for (const char c : digits) {
        const int value = hex_value(c);
        if (value < 0 || value >= base) return -1;
        number = number * base + value;
    }
    return number;
}

Escape ascii(int code, std::size_t size) {
    if (code == 0xA0) return {size, ' '};
    if (code <= 0 || code >= 0x80) return {};
    return {size, static_cast<char>(code)};
}

Escape backslash(std::string_view text) {
    if (text.size() < 2) return {};
    switch (text[1]) {
        case '"':
        case '\'':
        case '\\':
        case '/':
            return {2, text[1]};
        case 'n':
            return {2, '\n'};
        case 'r':
            return {2, '\r'};
        case 't':
            return {2, '\t'};
        case 'u':
            return text.size() < 6 ? Escape{} : ascii(to_number(text.substr(2, 4), 16), 6);
        case 'x':
            return text.size() < 4 ? Escape{} : ascii(to_number(text.substr(2, 2), 16), 4);
        default:
            return {};
    }
}

Escape percent(std::string_view text) {
    return text.size() < 3 ? Escape{} : ascii(to_number(text.substr(1, 2), 16), 3);
}

Escape entity(std::string_view text) {
    constexpr std::size_t kLongest = 9;
    const std::size_t end = text.substr(0, kLongest).find(';');
    if (end == std::string_view::npos || end < 3) return {};
    const std::string_view name = text.substr(1, end - 1);
    if (name[0] == '#') {
        const bool is_hex = name.size() > 2 && to_lower(name[1]) == 'x';
        return ascii(is_hex ? to_number(name.substr(2), 16) : to_number(name.substr(1), 10),
                     end + 1);
    }
    struct Named {
        std::string_view name;
        char value;
    };
    static constexpr Named kNamed[] = {{"amp", '&'},    {"lt", '<'},    {"gt", '>'},
                                       {"quot", '"'},   {"apos", '\''}, {"nbsp", ' '},
                                       {"commat", '@'}, {"colon", ':'}, {"period", '.'}};
    for (const Named& known : kNamed) {
        if (known.name == name) return {end + 1, known.value};
    }
    return {};
}

/// Characters beyond ASCII that look like one of it, or like nothing.
Escape typographic(std::string_view text) {
    if (text.starts_with("\xC2\xA0")) return {2, ' '};
    if (text.size() < 3) return {};
    const auto second = static_cast<unsigned char>(text[1]);
    const auto third = static_cast<unsigned char>(text[2]);
    if (text[0] == '\xE2' && second == 0x80) {
        if (third <= 0x8A || third == 0xAF) return {3, ' '};
        if (third <= 0x8F) return {3, {}};
        if (third <= 0x93) return {3, '-'};
    }
    if (text.starts_with("\xE2\x81\xA0") || text.starts_with("\xEF\xBB\xBF")) return {3, {}};
    if (text.starts_with("\xE2\x88\x92")) return {3, '-'};
    if (text[0] == '\xEF' && (second == 0xBC || second == 0xBD) && (third & 0xC0) == 0x80) {
        const int code = (second - 0xBC) * 64 + (third - 0x80) + 0x20;  // U+FF00 is a blank's place
        if (code > 0x20 && code < 0x7F) return {3, static_cast<char>(code)};
    }
    return {};
}

constexpr char kEscapeBegins[] = {'\\', '%', '&', '\xC2', '\xE2', '\xEF'};

constexpr std::array<bool, 256> kIsEscapeBegin = [] {
    std::array<bool, 256> begins{};
    for (const char c : kEscapeBegins)
        begins[static_cast<unsigned char>(c)] = true;
    return begins;
}();

/// Where the first escape may begin. Most texts have none, and to know that a look for each of the
/// few bytes is faster than a look at each byte.
std::size_t first_escape(std::string_view text) {
    std::size_t first = text.size();
    for (const char c : kEscapeBegins)
        first = std::min(first, text.substr(0, first).find(c));
    return std::min(first, text.size());
}

Escape escape_at(std::string_view text) {
    switch (text[0]) {
        case '\\':
            return backslash(text);
        case '%':
            return percent(text);
        case '&':
            return entity(text);
        default:
            return typographic(text);
    }
}

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
        if (!is_text_byte(byte)) return {};
        out += static_cast<char>(byte);
    }
    return json::is_utf8(out) ? out : std::string();
}

}  // namespace

bool Decoding::decode(std::string_view text) {
    text_.clear();
    shifts_.clear();
    std::size_t kept = 0;
    for (std::size_t i = first_escape(text); i < text.size();) {
        if (!kIsEscapeBegin[static_cast<unsigned char>(text[i])]) {
            ++i;
            continue;
        }
        const Escape escape = escape_at(text.substr(i));
        if (escape.size == 0) {
            ++i;
            continue;
        }
        text_ += text.substr(kept, i - kept);
        if (escape.value) text_ += *escape.value;
        i += escape.size;
        kept = i;
        shifts_.emplace_back(text_.size(), i - text_.size());
    }
    if (shifts_.empty()) return false;
    text_ += text.substr(kept);
    return true;
}

std::size_t Decoding::origin(std::size_t i) const {
    const auto after = std::upper_bound(
        shifts_.begin(), shifts_.end(), i,
        [](std::size_t offset, const auto& shift) { return offset < shift.first; });
    return after == shifts_.begin() ? i : i + std::prev(after)->second;
}

std::string decode_run(std::string_view run) {
    constexpr std::size_t kMinHex = 16;
    if (run.size() >= kMinHex && hex_value(run[0]) >= 0 && hex_value(run[1]) >= 0) {
        if (std::string text = decode_hex(run); !text.empty()) return text;
    }
    // Text in Latin letters begins with a byte from 0x20 to 0x7E or one of C2 to C5.
    const int first = run.empty() ? -1 : base64_value(run[0]);
    return (first >= 8 && first < 32) || first == 48 || first == 49 ? decode_base64(run) : "";
}

}  // namespace evalfleet::redaction
