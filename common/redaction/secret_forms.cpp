#include "common/json/escape.hpp"
#include "common/redaction/scan.hpp"
#include "common/redaction/secret_index.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMinEncodedLength = 6;

std::string percent_encoded(std::string_view text, std::string_view hex) {
    std::string out;
    for (const char c : text) {
        if (is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex[byte >> 4];
        out += hex[byte & 0xF];
    }
    return out;
}

std::string hex_encoded(std::string_view text, std::string_view hex) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += hex[byte >> 4];
        out += hex[byte & 0xF];
    }
    return out;
}

/// The base64 characters that depend on `secret` alone when `shift` (0-2) unknown bytes stand
/// before it within a group of three: those at the edges, which mix in other bytes, are left out.
std::string base64_core(std::string_view secret, std::size_t shift, std::string_view alphabet) {
    const std::size_t first_bit = shift * 8;
    const std::size_t end_bit = first_bit + secret.size() * 8;
    const auto bit = [&](std::size_t i) {
        const auto byte = static_cast<unsigned char>(secret[(i - first_bit) / 8]);
        return static_cast<unsigned>(byte >> (7 - (i - first_bit) % 8)) & 1U;
    };
    std::string out;
    for (std::size_t at = (first_bit + 5) / 6 * 6; at + 6 <= end_bit; at += 6) {
        unsigned index = 0;
        for (std::size_t i = 0; i < 6; ++i)
            index = index * 2 + bit(at + i);
        out += alphabet[index];
    }
    return out;
}

}  // namespace

std::vector<std::string> secret_forms(std::string_view secret) {
    constexpr std::string_view kStandard =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::string_view kUrlSafe =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::vector<std::string> forms{std::string(secret)};
    std::string escaped;
    json::append_escaped(escaped, secret);
    forms.push_back(std::move(escaped));
    for (const std::string_view digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
        forms.push_back(percent_encoded(secret, digits));
        forms.push_back(hex_encoded(secret, digits));
    }
    for (std::size_t shift = 0; shift < 3; ++shift) {
        for (const std::string_view alphabet : {kStandard, kUrlSafe}) {
            std::string core = base64_core(secret, shift, alphabet);
            if (core.size() >= kMinEncodedLength) forms.push_back(std::move(core));
        }
    }
    std::sort(forms.begin(), forms.end());
    forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
    return forms;
}

}  // namespace evalfleet::redaction
