#include "common/redaction/numbers.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// ASCII, and Latin letters with accents; other scripts stand glued to addresses without a blank.
bool is_local_char(char c) {
    if (is_alnum(c) || is_continuation(c) || (c >= '\xC3' && c <= '\xC5')) return true;
    return c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '\'';
}

bool is_local_begin(char c) {
    return is_alnum(c) || c == '_' || (c >= '\xC3' && c <= '\xC5');
}

bool is_domain_char(char c) {
    return is_alnum(c) || c == '.' || c == '-';
}

/// What looks like a top-level domain in icon@2x.png.
bool is_file_ending(std::string_view top) {
    constexpr std::string_view kEndings[] = {"png", "jpg", "jpeg", "gif",  "svg", "webp", "js",
                                             "ts",  "css", "json", "yaml", "yml", "txt",  "xml"};
    return std::find(std::begin(kEndings), std::end(kEndings), top) != std::end(kEndings);
}

bool is_domain(std::string_view domain) {
    const std::size_t dot = domain.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || domain[0] == '-') return false;
    if (domain.find("..") != std::string_view::npos) return false;
    const std::string_view top = domain.substr(dot + 1);
    if (top.starts_with("xn--")) return top.size() > 4;
    for (const char c : top) {
        if (!is_letter(c)) return false;
    }
    return top.size() >= 2 && !is_file_ending(top);
}

}  // namespace

Found find_email(Scan& scan, std::size_t i) {
    std::size_t begin = scan.run_back(i, 64, is_local_char);
    begin = scan.run(begin, i - begin, [](char c) { return !is_local_begin(c); });
    if (begin >= i || scan.before(i) == '.') return {};
    if (scan.text().substr(begin, i - begin) == "git") return {};  // git@host:path names nobody
    std::size_t end = scan.run(i + 1, 255, is_domain_char);
    while (end > i + 1 && !is_alnum(scan.at(end - 1)))
        --end;
    std::string_view domain = scan.text().substr(i + 1, end - i - 1);
    // In case-jane@example.org-17 the number is not of the domain.
    const std::size_t top = domain.rfind('.');
    if (top != std::string_view::npos && domain.substr(top + 1, 4) != "xn--")
        domain = domain.substr(0, domain.find('-', top));
    if (!is_domain(domain)) return {};
    return Match{begin, i + 1 + domain.size(), Kind::email};
}

}  // namespace evalfleet::redaction
