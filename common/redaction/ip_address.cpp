#include "common/redaction/context.hpp"
#include "common/redaction/numbers.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

constexpr std::string_view kVersionLabels[] = {
    "version", "versions", "release", "released", "upgrade", "upgraded", "ver",
    "v",       "firmware", "build",   "rev",      "driver",  "section",  "sections"};
/// Numbers of four parts may be theirs, but addresses have tables as well.
constexpr std::string_view kTextLabels[] = {"chapter", "clause", "figure",
                                            "table",   "update", "updated"};

/// 0 to 255 without leading zeros; -1 else.
int octet(std::string_view digits) {
    if (digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return -1;
    int value = 0;
    for (const char c : digits)
        value = value * 10 + (c - '0');
    return value <= 255 ? value : -1;
}

/// Loopback, "any", netmasks and x.0.0.0: the same on every machine, or no machine's.
bool is_nobodys(const std::array<int, 4>& octets) {
    if (octets[0] == 127 || octets[0] == 0 || octets[0] == 255) return true;
    return octets[1] == 0 && octets[2] == 0 && octets[3] == 0;
}

/// Parts of versions are small numbers; of four octets drawn at random hardly one is.
bool is_more_likely_an_address(const std::array<int, 4>& octets) {
    constexpr int kSmall = 32;
    return std::count_if(octets.begin(), octets.end(), [](int octet) { return octet >= kSmall; }) >=
           2;
}

/// `v1.2.3.4`, `lib-1.2.3.4`, `==1.2.3.4`, `>= 1.2.3.4`, "version 1.2.3.4", "upgraded
/// from 1.2.3.4".
bool is_version(const Scan& scan, std::size_t begin, const std::array<int, 4>& octets) {
    if (has_label(scan, begin, kVersionLabels)) return true;
    if (is_more_likely_an_address(octets)) return false;
    if (has_label(scan, begin, kTextLabels)) return true;
    const char previous = scan.before(begin);
    if (previous == '^' || previous == '~' || previous == '-') return true;
    std::size_t sign = begin;
    while (scan.before(sign) == ' ')
        --sign;
    return scan.before(sign) == '=' &&
           std::string_view("=<>~!").find(scan.before(sign, 2)) != std::string_view::npos;
}

/// A file's ending behind it, as in lib-1.2.3.4.jar.
bool is_file_name(const Scan& scan, std::size_t end) {
    constexpr std::string_view kEndings[] = {"jar", "tar", "zip", "dll", "whl", "gz",
                                             "exe", "msi", "deb", "rpm", "so"};
    if (scan.at(end) != '.') return false;
    return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
        return scan.starts_with(end + 1, ending) && !is_alnum(scan.at(end + 1 + ending.size()));
    });
}

/// Four groups of digits as an IPv4 address; false if they are none.
bool read_octets(const Scan& scan, const DigitGroups& groups, std::array<int, 4>& octets) {
    if (groups.count < 4 || !groups.separated_by(".", 4)) return false;
    for (std::size_t i = 0; i < octets.size(); ++i) {
        octets[i] = octet(scan.text().substr(groups[i].begin, groups[i].size()));
        if (octets[i] < 0) return false;
    }
    return true;
}

bool is_address_start(const Scan& scan, std::size_t i) {
    const char c = scan.before(i);
    if ((c == '-' || c == '_') && is_alnum(scan.before(i, 2))) return !is_digit(scan.before(i, 2));
    if (c == '.' || c == ':' || c == '/')
        return c == '/' || !is_alnum(scan.before(i, 2)) ||
               (c == ':' && !is_digit(scan.before(i, 2)));
    return is_number_start(scan, i);
}

bool is_hex(char c) {
    return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}

bool is_address_char(char c) {
    return is_hex(c) || c == ':';
}

struct Groups6 {
    std::size_t count = 0;
    std::size_t digits = 0;  ///< decimal ones
    bool compressed = false;
    bool all_of_two = true;
};

/// False if this is no IPv6 address (without an IPv4 one at its end).
bool read_groups(std::string_view text, Groups6& groups) {
    if (text.ends_with(':') && !text.ends_with("::")) return false;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ':') {
            const bool twice = i + 1 < text.size() && text[i + 1] == ':';
            if (twice && groups.compressed) return false;
            if (!twice && i == 0) return false;
            groups.compressed = groups.compressed || twice;
            i += twice ? 2 : 1;
            if (i < text.size() && text[i] == ':') return false;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && text[end] != ':') {
            if (is_digit(text[end])) ++groups.digits;
            ++end;
        }
        if (end - i > 4) return false;
        groups.all_of_two = groups.all_of_two && end - i == 2;
        ++groups.count;
        i = end;
    }
    return true;
}

/// Tells addresses from `dead::beef` in code, from times and from hardware addresses.
bool is_ipv6(const Groups6& groups, std::string_view text, bool has_ipv4) {
    const std::size_t parts = groups.count + (has_ipv4 ? 2 : 0);
    if (!groups.compressed) return parts == 8 && (!groups.all_of_two || has_ipv4);
    if (parts > 7 || (groups.digits == 0 && !has_ipv4)) return false;
    if (has_ipv4 || groups.count >= 3) return true;
    // Two groups: link-local, unique local and global addresses begin with four characters.
    const std::size_t first = text.find(':');
    return groups.count == 2 && first == 4 &&
           std::string_view("23fF").find(text[0]) != std::string_view::npos;
}

}  // namespace

Found find_ipv4(Scan& scan, const DigitGroups& groups) {
    std::array<int, 4> octets{};
    if (groups.count < 4 || !is_address_start(scan, groups.begin())) return {};
    if (!read_octets(scan, groups, octets) || is_nobodys(octets)) return {};
    const std::size_t end = groups[3].end;
    const char next = scan.at(end);
    if (is_alnum(next) || (next == '.' && is_digit(scan.at(end + 1)))) return {};
    const bool goes_on = (next == '_' || next == '-') && is_alnum(scan.at(end + 1));
    if (goes_on && !is_more_likely_an_address(octets)) return {};
    if (is_file_name(scan, end) || is_version(scan, groups.begin(), octets)) return {};
    return Match{groups.begin(), end, Kind::ip_address};
}

Found find_ipv6(Scan& scan, std::size_t i) {
    constexpr std::size_t kLongest = 40;
    const std::size_t begin = scan.run_back(i, 4, is_hex);
    const char previous = scan.before(begin);
    if (is_alnum(previous) || previous == '.') return {};
    // "ip:2001:db8::1": the first colon is that of a name.
    if (previous == ':' && (!is_letter(scan.before(begin, 2)) || is_hex(scan.before(begin, 2))))
        return {};
    std::size_t end = scan.run(begin, kLongest, is_address_char);
    const std::size_t seen = end;
    bool has_ipv4 = false;
    if (scan.at(end) == '.') {
        // The last group was the beginning of an IPv4 address.
        const std::size_t colon = scan.text().substr(begin, end - begin).rfind(':');
        if (colon == std::string_view::npos) return {};
        const DigitGroups groups = collect_digit_groups(scan, begin + colon + 1);
        std::array<int, 4> octets{};
        if (read_octets(scan, groups, octets)) {
            has_ipv4 = true;
            end = groups[3].end;
        }
    }
    const std::size_t head =
        has_ipv4 ? scan.text().substr(begin, seen - begin).rfind(':') + begin + 1 : seen;
    std::string_view text = scan.text().substr(begin, head - begin);
    if (has_ipv4 && !text.ends_with("::")) text.remove_suffix(1);
    // "address: then" and the like: a single colon at the end is a sentence's.
    if (!has_ipv4 && text.ends_with(':') && !text.ends_with("::")) {
        text.remove_suffix(1);
        --end;
    }
    Groups6 groups;
    if (!read_groups(text, groups) || !is_ipv6(groups, text, has_ipv4)) return {};
    if (is_alnum(scan.at(end)) || scan.at(end) == '_') return {};
    return Match{begin, end, Kind::ip_address};
}

}  // namespace evalfleet::redaction
