#include "common/redaction/assignment.hpp"

#include "common/redaction/secret_name.hpp"
#include "common/redaction/secret_value.hpp"

#include <algorithm>
#include <string>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMaxName = 48;
constexpr std::size_t kMaxGap = 8;
constexpr std::size_t kMaxCookie = 4096;

bool is_name_char(char c) {
    return is_key_char(c) || c == '.';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// Between a name and its value: blanks, quotes that may be escaped, the end of an index.
bool is_filler(char c) {
    return is_blank(c) || is_quote(c) || c == '\\' || c == ']';
}

bool is_line_end(char c) {
    return c == '\n' || c == '\r' || c == '\0';
}

Kind kind_for(NameKind name) {
    return name == NameKind::cloud ? Kind::cloud_key : Kind::credential;
}

Found judged(Scan& scan, NameKind name, Value value) {
    if (!read_value(scan, value) || !is_secret_value(scan, name, value)) return {};
    read_rest(scan, value);
    return Match{value.begin, value.end, kind_for(name)};
}

/// All until the end of the line, or of the string that the header stands in.
std::size_t end_of_header(Scan& scan, const Value& value) {
    constexpr std::size_t kMaxHeader = 4096;
    return scan.run(value.begin, kMaxHeader, [&](char c) {
        return !is_line_end(c) && (value.quote == '\0' || c != value.quote);
    });
}

/// Authorization: the scheme stays readable, all behind it goes.
Found header_value(Scan& scan, Value value) {
    const std::size_t scheme = scan.run(value.begin, 20, is_key_char);
    if (scheme == value.begin || scan.at(scheme) != ' ')
        return judged(scan, NameKind::token, value);
    const std::size_t begin = scan.run(scheme, kMaxGap, is_blank);
    std::string name;
    for (const char c : scan.text().substr(value.begin, scheme - value.begin))
        name += to_lower(c);
    if (name == "digest" || name.starts_with("aws4-")) {
        if (scan.at(begin) == '[') return {};  // replaced before
        value.begin = begin;
        return Match{begin, end_of_header(scan, value), Kind::credential};
    }
    const std::size_t end = scan.run(begin, std::string_view::npos,
                                     [](char c) { return is_token_char(c) || c == ':'; });
    const std::string_view token = scan.text().substr(begin, end - begin);
    static constexpr std::string_view kSchemes[] = {
        "basic",  "bearer", "token", "apikey",    "api-key", "key",      "ssws",
        "splunk", "bot",    "hmac",  "negotiate", "ntlm",    "genie-key"};
    const bool known =
        std::find(std::begin(kSchemes), std::end(kSchemes), name) != std::end(kSchemes);
    if (token.size() < 6 || !is_token_like(token)) return {};
    if (!known && (token.size() < 16 || !is_strong(token))) return {};
    return Match{begin, end, name == "bearer" ? Kind::bearer_token : Kind::credential};
}

/// Cookie: session=...; theme=dark
Found cookie_value(Scan& scan, Value value) {
    const std::size_t name = scan.run(value.begin, kMaxName, is_name_char);
    if (name == value.begin || scan.at(name) != '=') return {};
    const std::size_t end = scan.run(name, kMaxCookie, [](char c) {
        return !is_line_end(c) && c != '"' && c != '\\' && c != '<';
    });
    if (end - name < 5) return {};
    return Match{value.begin, end, Kind::credential};
}

/// In running text the word before "key" says what it opens: "API key: ...".
NameKind classify_in_text(Scan& scan, std::size_t begin, std::string_view name) {
    const NameKind kind = classify_name(name);
    if (kind != NameKind::key || name.size() != 3 || scan.before(begin) != ' ') return kind;
    const std::size_t word = scan.run_back(begin - 1, 16, is_letter);
    return classify_name(scan.text().substr(word, begin + name.size() - word));
}

/// curl -u user:password, --user user:password
bool is_user_flag(const Scan& scan, std::size_t name_begin) {
    const std::size_t end = name_begin - (is_quote(scan.before(name_begin)) ? 1 : 0);
    return scan.ends_with(end, " -u ") || scan.ends_with(end, "--user ") ||
           scan.ends_with(end, "--proxy-user ") || scan.ends_with(end, "--user=");
}

/// The word that ends before `end`, with quotes and blanks between, and where it begins.
std::string_view word_before(Scan& scan, std::size_t end, std::size_t& begin) {
    end = scan.run_back(end, kMaxGap, is_filler);
    begin = scan.run_back(end, kMaxName, is_name_char);
    return scan.text().substr(begin, end - begin);
}

/// A name that is the value of another one: {"name": "DB_PASSWORD", "value": "..."}, key="..."
/// value="..."
NameKind classify_pair(Scan& scan, std::size_t value_word) {
    const std::size_t end = scan.run_back(
        value_word, 24, [](char c) { return is_filler(c) || c == ',' || c == '\n' || c == '\r'; });
    if (end == value_word) return NameKind::ordinary;
    std::size_t begin = 0;
    const std::string_view name = word_before(scan, end, begin);
    const std::size_t sign = scan.run_back(begin, kMaxGap, is_filler);
    if (scan.before(sign) != ':' && scan.before(sign) != '=') return NameKind::ordinary;
    std::size_t label_begin = 0;
    const std::string_view label = word_before(scan, sign - 1, label_begin);
    for (const std::string_view known : {"name", "key", "header", "id", "field", "variable"}) {
        if (equals_ignoring_case(label, known)) return classify_name(name);
    }
    return NameKind::ordinary;
}

/// Names that say nothing themselves: `value` in a pair, a type between name and value
/// (`TOKEN: str = "..."`), the secret number of a JSON Web Key, words of other languages.
NameKind classify_by_place(Scan& scan, std::size_t name_begin, std::string_view name,
                           const Value& value) {
    if (equals_ignoring_case(name, "value")) return classify_pair(scan, name_begin);
    if (name == "d" && value.quote == '"' && is_private_number(scan, value)) return NameKind::token;
    if (value.quote != '\0' && value.sign == '=' && scan.ends_with(name_begin, ": ")) {
        std::size_t begin = 0;
        return classify_name(word_before(scan, name_begin - 2, begin));
    }
    const bool foreign = static_cast<unsigned char>(scan.before(name_begin)) >= 0x80;
    return (foreign || name == "passe") &&
                   names_password_abroad(scan.text().substr(0, name_begin + name.size()))
               ? NameKind::password
               : NameKind::ordinary;
}

}  // namespace

Found find_assigned(Scan& scan, std::size_t i) {
    const char sign = scan.at(i);
    const char before_sign = scan.before(i);
    if (before_sign == '=' || before_sign == '!' || before_sign == '<' || before_sign == '>')
        return {};
    const std::size_t name_end = scan.run_back(i, kMaxGap, is_filler);
    const char last = scan.before(name_end);
    if (!is_alnum(last) && last != '_' && static_cast<unsigned char>(last) < 0x80) return {};
    const std::size_t name_begin = scan.run_back(name_end, kMaxName, is_name_char);
    std::size_t begin = i + 1;
    if (sign == '=' && scan.at(begin) == '=') return {};  // a comparison
    if (sign == ':' && scan.at(begin) == ':') return {};  // a scope
    if ((sign == '=' && scan.at(begin) == '>') || (sign == ':' && scan.at(begin) == '=')) ++begin;
    const std::string_view name = scan.text().substr(name_begin, name_end - name_begin);
    NameKind kind = classify_in_text(scan, name_begin, name);
    Value value = value_from(scan, begin, sign);
    value.starts_line = is_line_end(scan.before(name_begin)) || scan.before(name_begin) == ' ';
    value.env_style = std::none_of(name.begin(), name.end(), is_lower);
    if (kind == NameKind::ordinary) kind = classify_by_place(scan, name_begin, name, value);
    if (kind == NameKind::ordinary) {
        if (sign != ':' || value.spaced || !is_user_flag(scan, name_begin)) return {};
        kind = NameKind::password;
    }
    if (kind == NameKind::header) return header_value(scan, value);
    if (kind == NameKind::cookie) return cookie_value(scan, value);
    return judged(scan, kind, value);
}

Found find_flag(Scan& scan, std::size_t i) {
    if (scan.before(i) != '-' || scan.before(i, 2) == '-' || is_alnum(scan.before(i, 2))) return {};
    const std::size_t end = scan.run(i + 1, kMaxName, is_key_char);
    if (end == i + 1 || !is_blank(scan.at(end))) return {};
    const NameKind kind = classify_name(scan.text().substr(i + 1, end - i - 1));
    if (kind == NameKind::ordinary || kind == NameKind::header || kind == NameKind::cookie)
        return {};
    const Value value = value_from(scan, end, '\0');
    if (scan.at(value.begin) == '-') return {};
    return judged(scan, kind, value);
}

Found find_short_flag(Scan& scan, std::size_t i) {
    struct Flag {
        std::string_view command;
        char letter;
        bool attached;  ///< the value follows at once, as in mysql -pvalue
    };
    static constexpr Flag kFlags[] = {{"mysql", 'p', true},     {"sshpass ", 'p', true},
                                      {"sshpass ", 'p', false}, {"redis-cli ", 'a', false},
                                      {" login ", 'p', false},  {"sqlcmd ", 'P', false},
                                      {"mongo", 'p', false},    {"ldapsearch ", 'w', false}};
    constexpr std::size_t kReach = 64;
    if (scan.before(i) != ' ') return {};
    const char letter = scan.at(i + 1);
    if (letter != 'p' && letter != 'a' && letter != 'P' && letter != 'w') return {};
    const bool attached = !is_blank(scan.at(i + 2));
    const std::size_t line = scan.run_back(i, kReach, [](char c) { return !is_line_end(c); });
    const std::string_view before = scan.text().substr(line, i - line);
    for (const Flag& flag : kFlags) {
        if (flag.letter != letter || flag.attached != attached) continue;
        if (before.find(flag.command) == std::string_view::npos) continue;
        Value value = value_from(scan, i + 2, '\0');
        if (!read_value(scan, value)) return {};
        const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
        if (text.size() < 5 || !is_strong(text)) return {};
        return Match{value.begin, value.end, Kind::credential};
    }
    return {};
}

Found find_listed(Scan& scan, std::size_t i) {
    if (!is_quote(scan.before(i))) return {};
    std::size_t begin = 0;
    const std::string_view name = word_before(scan, i, begin);
    const NameKind kind = classify_name(name);
    if (kind == NameKind::ordinary || scan.before(begin) != scan.before(i)) return {};
    Value value = value_from(scan, i + 1, '\0');
    if (value.quote == '\0') return {};
    if (kind == NameKind::header) return header_value(scan, value);
    if (kind == NameKind::cookie) return cookie_value(scan, value);
    // A list of names is more usual than a name and its value.
    if (!read_value(scan, value)) return {};
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    if (text.size() < 8 || !is_strong(text)) return {};
    return judged(scan, kind, value);
}

Found find_element(Scan& scan, std::size_t i) {
    // <name>, <name attribute="...">
    std::size_t begin = scan.run_back(i, kMaxName, is_name_char);
    std::size_t end = i;
    if (scan.before(begin) != '<') {
        if (!is_quote(scan.before(i))) return {};
        const std::size_t tag =
            scan.run_back(i, 128, [](char c) { return c != '<' && c != '>' && !is_line_end(c); });
        if (scan.before(tag) != '<') return {};
        end = scan.run(tag, kMaxName, [](char c) { return is_name_char(c) || c == ':'; });
        begin = scan.run_back(end, kMaxName, is_name_char);
    }
    if (begin == end) return {};
    const NameKind kind = classify_name(scan.text().substr(begin, end - begin));
    if (kind == NameKind::ordinary) return {};
    constexpr std::string_view kData = "<![CDATA[";
    const bool is_data = scan.starts_with(i + 1, kData);
    Value value = value_from(scan, i + 1 + (is_data ? kData.size() : 0), '\0');
    value.quote = is_data ? ']' : '<';
    return judged(scan, kind, value);
}

Found find_told_password(Scan& scan, std::size_t i) {
    static constexpr std::string_view kWord = "password";
    if (i < scan.floor + 4 || !equals_ignoring_case(scan.text().substr(i - 4, 8), kWord)) return {};
    std::size_t next = i + 4;
    const std::size_t gap = scan.run(next, kMaxGap, is_blank);
    if (gap == next) return {};
    for (const std::string_view verb : {"is ", "was ", "to ", "as "}) {
        if (!scan.starts_with(gap, verb)) continue;
        return judged(scan, NameKind::password, [&] {
            Value value = value_from(scan, gap + verb.size(), '\0');
            value.spaced = true;
            value.told = true;
            return value;
        }());
    }
    Value value = value_from(scan, gap, '\0');
    if (value.quote == '\'') return judged(scan, NameKind::password, value);
    if (value.quote != '\0' || !read_value(scan, value)) return {};
    // "password hashing", "password sha256": only what no word or name of a method looks like.
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    return text.size() >= 6 && is_strong(text) ? judged(scan, NameKind::password, value) : Found();
}

}  // namespace evalfleet::redaction
