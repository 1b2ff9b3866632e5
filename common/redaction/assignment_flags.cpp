#include "common/redaction/assignment.hpp"
#include "common/redaction/assignment_parts.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

/// ConvertTo-SecureString '...', ConvertTo-SecureString -String "..."
Found secure_string(Scan& scan, std::size_t i) {
    constexpr std::string_view kCommand = "-SecureString ";
    constexpr std::string_view kFlag = "-String ";
    if (!scan.starts_with(i, kCommand)) return {};
    const std::size_t next = i + kCommand.size();
    const Value value =
        value_from(scan, next + (scan.starts_with(next, kFlag) ? kFlag.size() : 0), '\0');
    return value.quote == '\0' ? Found() : judged(scan, NameKind::password, value);
}

/// smbclient -U user%password
Found samba_user(Scan& scan, std::size_t i) {
    if (!is_blank(scan.at(i + 2))) return {};
    Value value = value_from(scan, i + 2, '\0');
    const std::size_t user = scan.run(value.begin, kMaxName, is_name_char);
    if (user == value.begin || scan.at(user) != '%') return {};
    value.begin = user + 1;
    if (!read_value(scan, value) || value.end - value.begin < 5) return {};
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    return looks_generated(text) ? Found(Match{value.begin, value.end, Kind::credential}) : Found();
}

}  // namespace

Found find_flag(Scan& scan, std::size_t i) {
    const char before = scan.before(i);
    // Java and OpenSSL write long names with one dash: -storepass, -password.
    const bool single = is_blank(before) || is_line_end(before);
    if (!single && before != '-') return is_letter(before) ? secure_string(scan, i) : Found();
    if (!single && (scan.before(i, 2) == '-' || is_alnum(scan.before(i, 2)))) return {};
    if (single && !is_letter(scan.at(i + 2))) return {};
    const std::size_t end = scan.run(i + 1, kMaxName, is_key_char);
    if (end == i + 1 || !is_blank(scan.at(end))) return {};
    const NameKind kind = classify_name(scan.text().substr(i + 1, end - i - 1));
    if (kind == NameKind::ordinary || kind == NameKind::header || kind == NameKind::cookie)
        return {};
    Value value = value_from(scan, end, '\0');
    if (scan.at(value.begin) == '-') return {};
    value.passed = true;
    if (!single) return judged(scan, kind, value);
    if (kind != NameKind::password || !read_value(scan, value)) return {};
    return looks_generated(scan.text().substr(value.begin, value.end - value.begin))
               ? judged(scan, kind, value)
               : Found();
}

Found find_short_flag(Scan& scan, std::size_t i) {
    struct Flag {
        std::string_view command;
        char letter;
        bool attached;      ///< the value follows at once, as in mysql -pvalue
        bool sure = false;  ///< nothing else is written so, so that the value may be any word
    };
    static constexpr Flag kFlags[] = {{"mysql", 'p', true, true},
                                      {"sshpass ", 'p', true, true},
                                      {"sshpass ", 'p', false, true},
                                      {"redis-cli ", 'a', false, true},
                                      {"docker login ", 'p', false, true},
                                      {" login ", 'p', false},
                                      {"sqlcmd ", 'P', false},
                                      {"openssl ", 'k', false, true},
                                      {"mongo", 'p', false},
                                      {"ldapsearch ", 'w', false, true},
                                      {"7z", 'p', true},
                                      {"zip ", 'P', false}};
    constexpr std::size_t kReach = 64;
    if (scan.before(i) != ' ') return {};
    const char letter = scan.at(i + 1);
    if (letter == 'U') return samba_user(scan, i);
    if (letter != 'p' && letter != 'a' && letter != 'P' && letter != 'w' && letter != 'k')
        return {};
    const bool attached = !is_blank(scan.at(i + 2));
    const std::size_t line = scan.run_back(
        i, kReach, [](char c) { return !is_line_end(c) && c != ';' && c != '|' && c != '&'; });
    const std::string_view before = scan.text().substr(line, i - line);
    for (const Flag& flag : kFlags) {
        if (flag.letter != letter || flag.attached != attached) continue;
        if (before.find(flag.command) == std::string_view::npos) continue;
        Value value = value_from(scan, i + 2, '\0');
        if (!read_value(scan, value)) return {};
        const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
        const bool has_letter = std::any_of(text.begin(), text.end(), is_letter);
        const bool drawn = text.size() >= 8 && has_letter && looks_generated(text);
        const bool any_word = flag.sure && text.size() >= 8 && has_letter && text[0] != '$';
        if (text.size() < 5 || !(is_strong(text) || drawn || any_word)) return {};
        return Match{value.begin, value.end, Kind::credential};
    }
    return {};
}

}  // namespace evalfleet::redaction
