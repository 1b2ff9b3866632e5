#include "common/redaction/numbers.hpp"

namespace evalfleet::redaction {
namespace {

bool is_local_char(char c) {
    return is_alnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '\'';
}

bool is_domain_char(char c) {
    return is_alnum(c) || c == '.' || c == '-';
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
    return top.size() >= 2;
}

/// How many of the groups to take: on, until `enough` digits are read and a space follows.
std::size_t take_groups(const DigitGroups& groups, std::size_t enough, std::size_t max) {
    std::size_t total = 0;
    std::size_t n = 0;
    for (; n < groups.count; ++n) {
        if (total >= enough && groups[n].separator == " ") break;
        if (total + groups[n].size() > max) break;
        total += groups[n].size();
    }
    return n;
}

Found phone_if(const Scan& scan, const DigitGroups& groups, std::size_t begin, std::size_t n,
               std::size_t min_digits) {
    if (n == 0 || groups.digit_count(n) < min_digits) return {};
    const std::size_t end = groups[n - 1].end;
    if (!is_number_end(scan, end)) return {};
    return Match{begin, end, Kind::phone};
}

/// +44 20 7946 0958, +1 (555) 123-4567, +15551234567
Found international(const Scan& scan, const DigitGroups& groups) {
    const std::size_t begin = groups.begin() - 1;
    const char previous = scan.before(begin);
    if (is_alnum(previous) || previous == ')' || scan.at(groups.begin()) == '0') return {};
    return phone_if(scan, groups, begin, take_groups(groups, 11, 15), 8);
}

/// (555) 123-4567, (020) 7946 0958
Found parenthesised(const Scan& scan, const DigitGroups& groups) {
    const std::size_t begin = groups.begin() - 1;
    if (groups.count < 2 || !groups[1].separator.starts_with(')')) return {};
    if (groups[0].size() < 2 || groups[0].size() > 5 || is_alnum(scan.before(begin))) return {};
    return phone_if(scan, groups, begin, take_groups(groups, 10, 12), 9);
}

/// 555-123-4567, 1-555-123-4567
Found north_american(const Scan& scan, const DigitGroups& groups) {
    const bool with_one = groups.shaped({1, 3, 3, 4}) && scan.at(groups.begin()) == '1';
    if (!with_one && !groups.shaped({3, 3, 4})) return {};
    const std::size_t n = with_one ? 4 : 3;
    if (!groups.separated_by("-. ", n)) return {};
    const char area = scan.at(groups[with_one ? 1 : 0].begin);
    if (area < '2') return {};
    return phone_if(scan, groups, groups.begin(), n, 10);
}

/// 020 7946 0958, 0151/23456789, 06 12 34 56 78, 0044 20 7946 0958
Found with_trunk_zero(const Scan& scan, const DigitGroups& groups) {
    if (groups.count < 2 || groups[0].size() < 2 || groups[0].size() > 6) return {};
    if (scan.at(groups.begin()) != '0') return {};
    const bool foreign = scan.at(groups.begin() + 1) == '0';
    if (foreign && (groups[0].size() < 3 || scan.at(groups.begin() + 2) == '0')) return {};
    const std::size_t n = foreign ? take_groups(groups, 11, 15) : take_groups(groups, 10, 12);
    if (n < 2 || !groups.separated_by(foreign ? " -" : " -/.", n)) return {};
    if (groups[1].separator == "." && !groups.shaped({2, 2, 2, 2, 2})) return {};
    return phone_if(scan, groups, groups.begin(), n, 9);
}

}  // namespace

Found find_phone(Scan& scan, const DigitGroups& groups) {
    if (groups.count == 0) return {};
    const char previous = scan.before(groups.begin());
    if (previous == '+') return international(scan, groups);
    if (previous == '(') return parenthesised(scan, groups);
    if (!is_number_start(scan, groups.begin())) return {};
    if (auto found = north_american(scan, groups)) return found;
    return with_trunk_zero(scan, groups);
}

Found find_email(Scan& scan, std::size_t i) {
    std::size_t begin = scan.run_back(i, 64, is_local_char);
    begin = scan.run(begin, i - begin, [](char c) { return !is_alnum(c) && c != '_'; });
    if (begin >= i || scan.before(i) == '.') return {};
    std::size_t end = scan.run(i + 1, 255, is_domain_char);
    while (end > i + 1 && !is_alnum(scan.at(end - 1)))
        --end;
    if (!is_domain(scan.text().substr(i + 1, end - i - 1))) return {};
    return Match{begin, end, Kind::email};
}

}  // namespace evalfleet::redaction
