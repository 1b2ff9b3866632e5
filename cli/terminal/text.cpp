#include "cli/terminal/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace evalfleet::terminal {

namespace {

bool begins_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// How many bytes the first `columns` characters have.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        if (!begins_code_point(text[end])) continue;
        if (seen++ == columns) break;
    }
    return end;
}

}  // namespace

std::optional<std::size_t> width_of(int descriptor) {
    if (::isatty(descriptor) != 1) return std::nullopt;
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
    return size.ws_col;
}

std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    // The control characters beyond ASCII, U+0080 to U+009F.
    for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
        const bool is_control =
            shown[i] == '\xC2' && static_cast<unsigned char>(shown[i + 1]) < 0xA0;
        if (is_control) shown.replace(i, 2, "?");
    }
    return shown;
}

std::size_t count_columns(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text)
        count += begins_code_point(c) ? 1 : 0;
    return count;
}

std::string shorten(std::string_view text, std::size_t columns) {
    if (count_columns(text) <= columns) return std::string(text);
    if (columns == 0) return "";
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        if (!begins_code_point(text[end])) continue;
        if (seen == columns - 1) break;
        ++seen;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
    std::vector<std::string> lines;
    const std::size_t room = std::max<std::size_t>(columns, 1);
    while (count_columns(text) > room) {
        const std::size_t most = bytes_of(text, room);
        // A blank right behind the last column ends the line too.
        const auto blank = text.substr(0, most + 1).rfind(' ');
        const bool has_blank = blank != std::string_view::npos && blank > 0;
        lines.emplace_back(text.substr(0, has_blank ? blank : most));
        text.remove_prefix(has_blank ? blank + 1 : most);
    }
    if (!text.empty() || lines.empty()) lines.emplace_back(text);
    return lines;
}

}  // namespace evalfleet::terminal
