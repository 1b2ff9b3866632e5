#include "common/redaction/assignment.hpp"
#include "common/redaction/assignment_parts.hpp"

#include <string>

namespace evalfleet::redaction {
namespace {

/// Where a name is all that tells, in running text: password -> ..., | password | ... |
Found pointed_at(Scan& scan, NameKind kind, Value value) {
    constexpr std::size_t kLeastPassword = 6;
    constexpr std::size_t kLeastToken = 16;
    if (kind == NameKind::ordinary || kind == NameKind::header || kind == NameKind::cookie)
        return {};
    if (!read_value(scan, value)) return {};
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    if (text.size() < (kind == NameKind::password ? kLeastPassword : kLeastToken)) return {};
    return looks_generated(text) ? judged(scan, kind, value) : Found();
}

/// Behind "password": the end of "is ", "was ", "to ", "as ", or of "for the router is "; `i` if it
/// is none of these.
std::size_t end_of_telling_verb(Scan& scan, std::size_t i) {
    constexpr std::size_t kReach = 48;
    for (const std::string_view verb : {"is ", "was ", "to ", "as "}) {
        if (scan.starts_with(i, verb)) return i + verb.size();
    }
    if (!scan.starts_with(i, "for ") && !scan.starts_with(i, "of ")) return i;
    const std::size_t end = scan.run(i, kReach, [](char c) {
        return is_key_char(c) || is_blank(c) || c == '\'' || c == '.' || c == '@';
    });
    const std::string_view phrase = scan.text().substr(i, end - i);
    for (const std::string_view verb : {" is ", " was "}) {
        const std::size_t at = phrase.find(verb);
        if (at != std::string_view::npos) return i + at + verb.size();
    }
    return i;
}

}  // namespace

Found find_arrow(Scan& scan, std::size_t i) {
    if (!is_blank(scan.before(i, 2)) || !is_blank(scan.at(i + 1))) return {};
    std::size_t begin = 0;
    const std::string_view name = word_before(scan, i - 1, begin);
    return pointed_at(scan, classify_in_text(scan, begin, name), value_from(scan, i + 1, '\0'));
}

Found find_cell(Scan& scan, std::size_t i) {
    if (!is_blank(scan.at(i + 1)) || !is_blank(scan.before(i))) return {};
    std::size_t begin = 0;
    const std::string_view name = word_before(scan, i, begin);
    if (name.empty()) return {};
    // A cell of its own, or the first of the row.
    const std::size_t cell =
        scan.run_back(begin, 24, [](char c) { return is_letter(c) || is_filler(c); });
    if (scan.before(cell) != '|' && !is_line_end(scan.before(cell))) return {};
    return pointed_at(scan, classify_in_text(scan, begin, name), value_from(scan, i + 1, '\0'));
}

Found find_identified_by(Scan& scan, std::size_t i) {
    constexpr std::string_view kIdentified = "identified ";
    constexpr std::size_t kReach = 48;
    if (to_lower(scan.at(i + 1)) != 'y' || scan.at(i + 2) != ' ' || scan.before(i) != ' ')
        return {};
    const Value value = value_from(scan, i + 2, '\0');
    if (value.quote != '\'' && value.quote != '"') return {};
    const std::size_t begin =
        scan.run_back(i, kReach, [](char c) { return is_key_char(c) || c == ' '; });
    std::string before;
    for (const char c : scan.text().substr(begin, i - begin))
        before += to_lower(c);
    if (before.find(kIdentified) == std::string::npos) return {};
    return judged(scan, NameKind::password, value);
}

Found find_told_password(Scan& scan, std::size_t i) {
    static constexpr std::string_view kWord = "password";
    if (i < scan.floor + 4 || !equals_ignoring_case(scan.text().substr(i - 4, 8), kWord)) return {};
    std::size_t next = i + 4;
    const std::size_t gap = scan.run(next, kMaxGap, is_blank);
    if (gap == next) return {};
    if (const std::size_t verb_end = end_of_telling_verb(scan, gap); verb_end != gap) {
        Value value = value_from(scan, verb_end, '\0');
        value.spaced = true;
        value.told = true;
        return judged(scan, NameKind::password, value);
    }
    Value value = value_from(scan, gap, '\0');
    if (value.quote == '\'') return judged(scan, NameKind::password, value);
    if (value.quote != '\0') return pointed_at(scan, NameKind::password, value);
    if (!read_value(scan, value)) return {};
    // "password hashing", "password sha256": only what no word or name of a method looks like.
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    if (text.size() < 6 || !looks_generated(text)) return {};
    // .netrc: machine host login name password value
    const bool sure = is_strong(text) || lower_before(scan, i).find("login ") != std::string::npos;
    return sure ? judged(scan, NameKind::password, value) : Found();
}

}  // namespace evalfleet::redaction
