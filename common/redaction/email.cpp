#include "common/redaction/numbers.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The first byte of a letter of the scripts that put blanks between words: Latin with accents,
/// Greek, Cyrillic, Armenian, Hebrew, Arabic. Those of others stand glued to an address.
bool begins_spaced_letter(char c) {
    return c >= '\xC3' && c <= '\xDB';
}

bool is_local_char(char c) {
    if (is_alnum(c) || is_continuation(c) || begins_spaced_letter(c)) return true;
    return c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '\'';
}

bool is_beyond_ascii(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}

bool is_local_begin(char c) {
    return is_alnum(c) || c == '_' || begins_spaced_letter(c);
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
        if (!is_letter(c) && !is_beyond_ascii(c)) return false;
    }
    return top.size() >= 2 && !is_file_ending(top);
}

/// Where the part before '@' begins; `i` if there is none.
std::size_t begin_of_local(Scan& scan, std::size_t i) {
    constexpr std::size_t kLongest = 64;
    if (scan.before(i) == '"') {  // "jane doe"@example.org
        const std::size_t begin =
            scan.run_back(i - 1, kLongest, [](char c) { return c != '"' && c != '\n'; });
        return scan.before(begin) == '"' && begin < i - 1 ? begin - 1 : i;
    }
    // Right before '@', letters of any script are of the name.
    if (is_beyond_ascii(scan.before(i)))
        return scan.run_back(i, kLongest,
                             [](char c) { return is_local_char(c) || is_beyond_ascii(c); });
    const std::size_t begin = scan.run_back(i, kLongest, is_local_char);
    return scan.run(begin, i - begin, [](char c) { return !is_local_begin(c); });
}

/// The end of a domain that begins at `begin` and has `wanted` in it, without the rest of a
/// sentence.
template <class Wanted>
std::size_t end_of_domain(Scan& scan, std::size_t begin, Wanted wanted) {
    std::size_t end = scan.run(begin, 255, wanted);
    while (end > begin && !is_alnum(scan.at(end - 1)) && !is_beyond_ascii(scan.at(end - 1)))
        --end;
    const std::string_view domain = scan.text().substr(begin, end - begin);
    // In case-jane@example.org-17 the number is not of the domain.
    const std::size_t top = domain.rfind('.');
    if (top != std::string_view::npos && domain.substr(top + 1, 4) != "xn--")
        end = begin + domain.substr(0, domain.find('-', top)).size();
    return is_domain(scan.text().substr(begin, end - begin)) ? end : begin;
}

}  // namespace

Found find_email(Scan& scan, std::size_t i) {
    const std::size_t begin = begin_of_local(scan, i);
    if (begin >= i || scan.before(i) == '.') return {};
    if (scan.text().substr(begin, i - begin) == "git") return {};  // git@host:path names nobody
    std::size_t end = end_of_domain(scan, i + 1, is_domain_char);
    if (end == i + 1)
        end = end_of_domain(scan, i + 1,
                            [](char c) { return is_domain_char(c) || is_beyond_ascii(c); });
    if (end == i + 1) return {};
    return Match{begin, end, Kind::email};
}

}  // namespace evalfleet::redaction
