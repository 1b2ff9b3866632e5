#include "coordinator/report/escape.hpp"

#include "common/json/escape.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace evalfleet::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    // U+0080 to U+009F; some terminals obey them.
    return character.size() == 2 && first == 0xC2 &&
           static_cast<unsigned char>(character[1]) < 0xA0;
}

bool is_noncharacter(std::string_view character) {
    return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

/// Characters that turn the direction of text around and so can make it look like another.
bool is_direction_control(std::string_view character) {
    return character.size() == 3 && ((character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE") ||
                                     (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9"));
}

/// Calls `take` with each character; malformed bytes come as U+FFFD.
void for_each_character(std::string_view text, auto take) {
    while (!text.empty()) {
        const std::size_t length = json::utf8_sequence_length(text);
        take(length == 0 ? kReplacement : text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
}

}  // namespace

std::string escape_markup(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for_each_character(text, [&out](std::string_view c) {
        if (c == "&") {
            out += "&amp;";
        } else if (c == "<") {
            out += "&lt;";
        } else if (c == ">") {
            out += "&gt;";
        } else if (c == "\"") {
            out += "&quot;";
        } else if (c == "'") {
            out += "&#39;";
        } else if (c == "\n" || c == "\t") {
            out += c;
        } else if (c == "\r") {
            out += "&#13;";
        } else {
            out += is_control(c) || is_noncharacter(c) ? kReplacement : c;
        }
    });
    return out;
}

std::string escape_markdown(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~$@:";
    std::string out;
    for_each_character(text, [&](std::string_view c) {
        if (c == "<") {
            out += "&lt;";
        } else if (c == ">") {
            out += "&gt;";
        } else if (c == "&") {
            out += "&amp;";
        } else if (c == "\n" || c == "\r" || c == "\t") {
            out += ' ';
        } else if (c.size() == 1 && kMarkup.find(c) != std::string_view::npos) {
            (out += '\\') += c;
        } else {
            out += is_control(c) ? kReplacement : c;
        }
    });
    return out;
}

std::string escape_terminal(std::string_view text) {
    std::string out;
    for_each_character(text, [&out](std::string_view c) {
        if (c == "\n" || c == "\r" || c == "\t") {
            out += ' ';
        } else {
            out += is_control(c) || is_direction_control(c) ? kReplacement : c;
        }
    });
    return out;
}

namespace {

bool is_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double ignored = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    return error == std::errc() && end == text.data() + text.size();
}

// Spreadsheets calculate what begins with =, and what begins with a sign or @ like an expression: a
// call, a reference, a number behind it. Blanks of a line's begin do not keep them from it. What
// only looks so, such as a number or an item of a list, stays as it is for everybody else.
bool is_formula(std::string_view text) {
    const auto begin = text.find_first_not_of("\t\r\n");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    if (text.front() == '=') return true;
    if (text.front() != '+' && text.front() != '-' && text.front() != '@') return false;
    if (text.find_first_of("(|!") != std::string_view::npos) return true;
    if (text.size() < 2 || is_number(text)) return false;
    const auto next = static_cast<unsigned char>(text[1]);
    return std::isalnum(next) != 0 || next >= 0x80 ||
           std::string_view("$\"'=.").find(text[1]) != std::string_view::npos;
}

}  // namespace

std::string escape_csv(std::string_view text) {
    std::string out = is_formula(text) ? "'" : "";
    out += text;
    if (out.find_first_of("\",\r\n") == std::string::npos) return out;
    std::string quoted = "\"";
    for (const char c : out) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string shorten(std::string_view text, std::size_t max_characters) {
    std::string out;
    std::size_t count = 0;
    for_each_character(text, [&](std::string_view c) {
        if (count++ < max_characters) out += c;
    });
    if (count > max_characters) out += "…";
    return out;
}

std::size_t count_columns(std::string_view text) noexcept {
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

}  // namespace evalfleet::report
