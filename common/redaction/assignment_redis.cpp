#include "common/redaction/assignment.hpp"
#include "common/redaction/assignment_parts.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

/// The bare word from `begin` on; empty if there is none.
std::string_view bare_word(Scan& scan, std::size_t begin) {
    constexpr std::size_t kMax = 256;
    const std::size_t end = scan.run(begin, kMax, [](char c) {
        return static_cast<unsigned char>(c) > 0x20 && !is_quote(c) && c != '\\' && c != '<';
    });
    return scan.text().substr(begin, end - begin);
}

/// Not replaced before, no variable, and none of the methods of SMTP and FTP (`AUTH CRAM-MD5`).
bool is_given(std::string_view word) {
    constexpr std::size_t kLeast = 5;
    return word.size() >= kLeast && word[0] != '[' && word[0] != '$' &&
           std::any_of(word.begin(), word.end(), [](char c) { return is_lower(c); });
}

/// A digit among at least six characters, or capitals between small letters.
bool is_drawn(std::string_view word) {
    return word.size() >= 6 && looks_generated(word);
}

}  // namespace

Found find_auth_command(Scan& scan, std::size_t i) {
    if (!scan.ends_with(i + 1, "AUTH") || is_name_char(scan.before(i, 4))) return {};
    if (scan.at(i + 1) != ' ') return {};
    const std::size_t begin = i + 2;
    const std::string_view first = bare_word(scan, begin);
    if (is_given(first) && is_drawn(first))
        return Match{begin, begin + first.size(), Kind::credential};
    const std::size_t gap = begin + first.size();
    const std::string_view second =
        scan.at(gap) == ' ' && !first.empty() ? bare_word(scan, gap + 1) : std::string_view();
    if (is_given(second) && (first == "default" || is_drawn(second)))
        return Match{gap + 1, gap + 1 + second.size(), Kind::credential};
    // No sentence: it ends here.
    const bool ends = is_line_end(scan.at(gap)) || is_quote(scan.at(gap));
    if (!ends || !is_given(first) || !is_joined_words(first)) return {};
    return Match{begin, gap, Kind::credential};
}

Found find_required_password(Scan& scan, std::size_t i) {
    // At the 'q' of requirepass.
    constexpr std::string_view kName = "requirepass ";
    if (i < scan.floor + 2 || !equals_ignoring_case(scan.text().substr(i - 2, kName.size()), kName))
        return {};
    Value value = value_from(scan, i - 3 + kName.size(), '\0');
    if (!read_value(scan, value)) return {};
    if (!is_given(scan.text().substr(value.begin, value.end - value.begin))) return {};
    return Match{value.begin, value.end, Kind::credential};
}

Found find_user_rule(Scan& scan, std::size_t i) {
    if (!is_blank(scan.before(i)) || lower_before(scan, i).find("setuser ") == std::string::npos)
        return {};
    const std::string_view text = bare_word(scan, i + 1);
    if (!is_given(text)) return {};
    return Match{i + 1, i + 1 + text.size(), Kind::credential};
}

}  // namespace evalfleet::redaction
