#include "common/http/percent.hpp"

namespace evalfleet::http {

namespace {

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_unreserved(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, PlusSign plus) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus == PlusSign::space) {
            decoded += ' ';
        } else if (text[i] != '%') {
            decoded += text[i];
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    return decoded;
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += kDigits[byte >> 4U];
        encoded += kDigits[byte & 0xfU];
    }
    return encoded;
}

std::optional<Query> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const auto end = text.find('&');
        const std::string_view field = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (field.empty()) continue;
        const auto equals = field.find('=');
        auto name = percent_decode(field.substr(0, equals), PlusSign::space);
        auto value = equals == std::string_view::npos
                         ? std::string()
                         : percent_decode(field.substr(equals + 1), PlusSign::space);
        if (!name || !value) return std::nullopt;
        query.fields_.emplace_back(std::move(*name), std::move(*value));
    }
    return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const {
    for (const auto& [field, value] : fields_) {
        if (field == name) return value;
    }
    return std::nullopt;
}

}  // namespace evalfleet::http
