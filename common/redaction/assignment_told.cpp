#include "common/redaction/assignment.hpp"
#include "common/redaction/assignment_parts.hpp"

#include <algorithm>
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
    static constexpr std::string_view kVerbs[] = {"is now ",
                                                  "is set to ",
                                                  "was changed to ",
                                                  "was set to ",
                                                  "was reset to ",
                                                  "has been set to ",
                                                  "has been changed to ",
                                                  "has been reset to ",
                                                  "changed to ",
                                                  "set to ",
                                                  "reset to ",
                                                  "should be ",
                                                  "is ",
                                                  "was ",
                                                  "to ",
                                                  "as ",
                                                  "ist ",
                                                  "lautet ",
                                                  "es "};
    for (const std::string_view verb : kVerbs) {
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

/// "set password saddlepepper" at the end of a line or text, as commands have it; no "set password
/// requirements".
bool is_set_at_end(Scan& scan, std::size_t word, const Value& value, std::string_view text) {
    static constexpr std::string_view kAbout[] = {"parameter", "properties", "requirements",
                                                  "managers",  "complexity", "expiration"};
    const char end = scan.at(value.end);
    if (!is_joined_words(text) || (!is_line_end(end) && !is_quote(end))) return false;
    if (std::find(std::begin(kAbout), std::end(kAbout), text) != std::end(kAbout)) return false;
    return lower_before(scan, word).ends_with("set ");
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

namespace {

/// Behind the word, at blanks: "password is ...".
Found told_value(Scan& scan, std::size_t gap) {
    const std::size_t verb_end = end_of_telling_verb(scan, gap);
    if (verb_end == gap) return {};
    Value value = value_from(scan, verb_end, '\0');
    value.spaced = true;
    value.told = true;
    return judged(scan, NameKind::password, value);
}

/// What stands before a password that is only named: "login bob password ...", "use password ...",
/// hibernate.connection.password ...
bool announces_value(const std::string& before) {
    static constexpr std::string_view kEndings[] = {"set ", "use ", "using ", "with ", "."};
    if (!before.empty() && (is_alnum(before.back()) || before.back() == '_')) return false;
    if (before.find("login ") != std::string::npos || before.find("user") != std::string::npos)
        return true;
    return std::any_of(std::begin(kEndings), std::end(kEndings),
                       [&](std::string_view ending) { return before.ends_with(ending); });
}

/// The size of the word for a password that begins at `i`; 0 if there is none.
std::size_t password_word(const Scan& scan, std::size_t i) {
    static constexpr std::string_view kWords[] = {"password", "passphrase", "passcode",
                                                  "passwort", "passwd",     "pwd"};
    for (const std::string_view word : kWords) {
        if (equals_ignoring_case(scan.text().substr(i, word.size()), word)) return word.size();
    }
    return 0;
}

}  // namespace

Found find_told_password(Scan& scan, std::size_t i) {
    const char second = to_lower(scan.at(i + 1));
    if (second != 'a' && second != 'w') return {};
    const std::size_t size = password_word(scan, i);
    if (size == 0) return {};
    const std::size_t gap = scan.run(i + size, kMaxGap, is_blank);
    if (gap == i + size) return {};
    if (end_of_telling_verb(scan, gap) != gap) return told_value(scan, gap);
    if (!equals_ignoring_case(scan.text().substr(i, size), "password")) return {};
    Value value = value_from(scan, gap, '\0');
    if (value.quote == '\'') return judged(scan, NameKind::password, value);
    if (value.quote != '\0') return pointed_at(scan, NameKind::password, value);
    if (!read_value(scan, value)) return {};
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    if (is_set_at_end(scan, i, value, text)) return Match{value.begin, value.end, Kind::credential};
    // "password hashing", "password sha256": only what no word or name of a method looks like.
    if (text.size() < 6 || !looks_generated(text)) return {};
    const bool sure = is_strong(text) || announces_value(lower_before(scan, i));
    return sure ? judged(scan, NameKind::password, value) : Found();
}

Found find_told_abroad(Scan& scan, std::size_t i) {
    const std::size_t gap = scan.run(i + 1, kMaxGap, is_letter);
    if (scan.at(gap) != ' ' || !names_password_abroad(scan.text().substr(0, gap))) return {};
    return told_value(scan, gap + 1);
}

}  // namespace evalfleet::redaction
