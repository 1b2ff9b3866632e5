#include "common/redaction/tokens.hpp"

namespace evalfleet::redaction {
namespace {

constexpr std::string_view kDashes = "-----";
constexpr std::size_t kMaxLabel = 64;
constexpr std::size_t kMaxBlock = 64 * 1024;

bool is_body_char(char c) {
    return is_alnum(c) || c == '+' || c == '/' || c == '=';
}

bool is_line_mark(char c) {
    return c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '>' || c == '#' || c == '|';
}

/// White space, the backslash escapes of it that stand for line ends inside a JSON string, and what
/// mails and comments put before a line.
std::size_t skip_line_ends(Scan& scan, std::size_t i) {
    for (int n = 0; n < 8; ++n) {
        i = scan.run(i, 8, [](char c) { return is_line_mark(c); });
        const std::size_t letter = scan.run(i, 4, [](char c) { return c == '\\'; });
        if (letter == i || (scan.at(letter) != 'n' && scan.at(letter) != 'r')) break;
        i = letter + 1;
    }
    return i;
}

bool at_line_end(const Scan& scan, std::size_t i) {
    const char c = scan.at(i);
    return i >= scan.size() || c == '\n' || c == '\r' || c == '\\' || c == '"';
}

/// Proc-Type: 4,ENCRYPTED and the like, before the body of an old block.
std::size_t skip_headers(Scan& scan, std::size_t i) {
    for (int n = 0; n < 8; ++n) {
        const std::size_t line = skip_line_ends(scan, i);
        const std::size_t name = scan.run(line, 24, [](char c) { return is_key_char(c); });
        if (name == line || scan.at(name) != ':') return i;
        i = scan.run(name, 128,
                     [](char c) { return c != '\n' && c != '\r' && c != '\\' && c != '"'; });
    }
    return i;
}

/// The end of a block that was cut off: as far as full lines of base64 go, and a last piece of one.
std::size_t end_of_truncated(Scan& scan, std::size_t i) {
    constexpr std::size_t kFullLine = 40;
    i = skip_headers(scan, i);
    for (;;) {
        const std::size_t line = skip_line_ends(scan, i);
        const std::size_t end = scan.run(line, kMaxBlock, is_body_char);
        if (end - line < kFullLine && (end == line || !at_line_end(scan, end))) return i;
        i = end;
        if (end - line < kFullLine) return i;
    }
}

/// The offset behind the end marker that belongs to a block whose body begins at `body`; 0 if none.
std::size_t end_of_block(Scan& scan, std::size_t body) {
    const std::size_t from = std::max(body, scan.pem_end_missing_until);
    const std::size_t limit = std::min(scan.size(), body + kMaxBlock);
    if (from >= limit) return 0;
    const std::string_view searched = scan.text().substr(from, limit - from);
    const std::size_t marker = searched.find("-----END");
    scan.steps += std::min(marker, searched.size());
    if (marker == std::string_view::npos) {
        scan.pem_end_missing_until = limit >= 8 ? limit - 8 : limit;
        return 0;
    }
    const std::size_t label = from + marker + 8;
    const std::size_t end =
        scan.run(label, kMaxLabel, [](char c) { return is_upper(c) || c == ' '; });
    return scan.run(end, kDashes.size(), [](char c) { return c == '-'; });
}

/// PuTTY's files: `Private-Lines: 14` and as many lines of base64.
Found putty_lines(Scan& scan, std::size_t i) {
    constexpr std::string_view kName = "-Lines: ";
    if (!scan.ends_with(i, "Private") || !scan.starts_with(i, kName)) return {};
    const std::size_t body = scan.run(i + kName.size(), 4, is_digit);
    const std::size_t end = end_of_truncated(scan, body);
    return end == body ? Found() : Found(Match{skip_line_ends(scan, body), end, Kind::private_key});
}

}  // namespace

Found find_private_key(Scan& scan, std::size_t i) {
    if (const Found lines = putty_lines(scan, i)) return lines;
    if (!scan.starts_with(i, "-----BEGIN ")) return {};
    const std::size_t label = i + 11;
    const std::size_t label_end =
        scan.run(label, kMaxLabel, [](char c) { return is_upper(c) || is_digit(c) || c == ' '; });
    const std::string_view name = scan.text().substr(label, label_end - label);
    if (name.find("PRIVATE KEY") == std::string_view::npos) return {};
    if (!scan.starts_with(label_end, kDashes)) return {};
    const std::size_t body = label_end + kDashes.size();
    const std::size_t end = end_of_block(scan, body);
    return Match{i, end != 0 ? end : end_of_truncated(scan, body), Kind::private_key};
}

}  // namespace evalfleet::redaction
