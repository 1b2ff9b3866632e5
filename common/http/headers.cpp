#include "common/http/headers.hpp"

#include <algorithm>

namespace evalfleet::http {

namespace {

// So many most messages have: room for them is made at once.
constexpr std::size_t kUsualFields = 12;

char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_char(char c) noexcept {
    const bool alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_value_char(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

bool iequals(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return to_lower(x) == to_lower(y); });
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_field_value(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), is_value_char);
}

bool is_request_target(std::string_view text) noexcept {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string_view trim(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void Headers::add(std::string name, std::string value) {
    if (fields_.empty()) fields_.reserve(kUsualFields);
    fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
    remove(name);
    add(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [name](const Field& field) { return iequals(field.first, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const auto& [field, value] : fields_) {
        if (iequals(field, name)) return value;
    }
    return std::nullopt;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
    for (const auto& [field, value] : fields_) {
        if (!iequals(field, name)) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto comma = rest.find(',');
            if (iequals(trim(rest.substr(0, comma)), token)) return true;
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    return false;
}

std::optional<std::string> Headers::first_invalid_name() const {
    for (const auto& [name, value] : fields_) {
        if (!is_token(name) || !is_field_value(value)) return name;
    }
    return std::nullopt;
}

void Headers::append_to(std::string& out) const {
    for (const auto& [name, value] : fields_) {
        out.append(name).append(": ").append(value).append("\r\n");
    }
}

}  // namespace evalfleet::http
