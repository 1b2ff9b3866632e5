#include "common/redaction/assignment.hpp"

#include "common/redaction/assignment_parts.hpp"

#include <algorithm>
#include <string>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMaxCookie = 4096;

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

/// curl -u user:password, --user user:password
bool is_user_flag(const Scan& scan, std::size_t name_begin) {
    const std::size_t end = name_begin - (is_quote(scan.before(name_begin)) ? 1 : 0);
    return scan.ends_with(end, " -u ") || scan.ends_with(end, "--user ") ||
           scan.ends_with(end, "--proxy-user ") || scan.ends_with(end, "--user=");
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

/// The name of the block that a default stands in: variable "db_password" { default = "..." },
/// "password": {"type": "string", "default": "..."}
NameKind classify_block(Scan& scan, std::size_t default_word) {
    constexpr std::size_t kReach = 200;
    const std::size_t begin =
        scan.run_back(default_word, kReach, [](char c) { return c != '{' && c != '}'; });
    if (scan.before(begin) != '{') return NameKind::ordinary;
    std::size_t end = scan.run_back(begin - 1, kMaxGap, is_blank);
    if (scan.before(end) == ':' || scan.before(end) == '=') --end;
    std::size_t name_begin = 0;
    return classify_name(word_before(scan, end, name_begin));
}

/// "passphrase for the key: ...", "password of bob: ..."
bool speaks_of_password(Scan& scan, std::size_t name_begin, std::size_t name_end) {
    constexpr std::size_t kReach = 40;
    if (scan.before(name_begin) != ' ') return false;
    const std::size_t begin = scan.run_back(
        name_begin, kReach, [](char c) { return is_letter(c) || c == ' ' || is_quote(c); });
    constexpr std::size_t kShortest = 13;  // "password of x"
    if (name_end - begin < kShortest) return false;
    std::string phrase;
    for (const char c : scan.text().substr(begin, name_end - begin))
        phrase += to_lower(c);
    for (const std::string_view word : {"password ", "passphrase ", "passcode "}) {
        const std::size_t at = phrase.find(word);
        if (at == std::string::npos) continue;
        const std::string_view rest = std::string_view(phrase).substr(at + word.size());
        if (rest.starts_with("for ") || rest.starts_with("of ")) return true;
    }
    return false;
}

/// "the password is: ...", "wifi pass was: ...", "Das Passwort lautet: ...", "mot de passe est :
/// ..."
bool is_told(Scan& scan, std::size_t name_begin, std::string_view name) {
    static constexpr std::string_view kVerbs[] = {"is", "was", "ist", "lautet", "est",
                                                  "es", "era", "e",   "jest",   "wynosi"};
    if (std::find(std::begin(kVerbs), std::end(kVerbs), name) == std::end(kVerbs)) return false;
    std::size_t begin = 0;
    const std::string_view word = word_before(scan, name_begin, begin);
    const NameKind kind = classify_name(word);
    return kind == NameKind::password || kind == NameKind::weak || kind == NameKind::secret ||
           names_password_abroad(scan.text().substr(0, begin + word.size()));
}

/// "username: bob\npass: ...", "login=bob pw=...", "-passin pass:...": more than a test's result.
bool is_surely_password(Scan& scan, std::size_t name_begin) {
    const std::string before = lower_before(scan, name_begin);
    return before.find("user") != std::string::npos || before.find("login") != std::string::npos ||
           before.find("-pass") != std::string::npos;
}

bool has_digit(Scan& scan, Value value) {
    if (!read_value(scan, value)) return false;
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    return std::any_of(text.begin(), text.end(), is_digit);
}

/// WIFI:T:WPA;S:home;P:...;;
bool is_network_code(Scan& scan, std::size_t name_begin) {
    constexpr std::size_t kReach = 80;
    if (scan.before(name_begin) != ';') return false;
    const std::size_t begin = scan.run_back(
        name_begin, kReach, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
    return scan.text().substr(begin, name_begin - begin).find("WIFI:") != std::string_view::npos;
}

/// The begin of a type whose last word begins at `word`: `str`, `&str`, `&'static str`.
std::size_t begin_of_type(Scan& scan, std::size_t word) {
    constexpr std::string_view kStatic = "'static ";
    if (scan.ends_with(word, kStatic)) word -= kStatic.size();
    return scan.run_back(word, 2, [](char c) { return c == '&' || c == '*'; });
}

/// Names that say nothing themselves: `value` in a pair, `default` in a block, a type between name
/// and value (`TOKEN: str = "..."`), the secret number of a JSON Web Key, words of other
/// languages.
NameKind classify_by_place(Scan& scan, std::size_t name_begin, std::string_view name,
                           const Value& value) {
    if (equals_ignoring_case(name, "value")) return classify_pair(scan, name_begin);
    if (equals_ignoring_case(name, "default") && value.quote != '\0')
        return classify_block(scan, name_begin);
    if (name == "P" && value.sign == ':' && is_network_code(scan, name_begin))
        return NameKind::password;
    if (name == "d" && value.quote == '"' && is_private_number(scan, value)) return NameKind::token;
    const std::size_t type = begin_of_type(scan, name_begin);
    if (value.quote != '\0' && value.sign == '=' && scan.ends_with(type, ": ")) {
        std::size_t begin = 0;
        return classify_name(word_before(scan, type - 2, begin));
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
    if ((kind == NameKind::ordinary || kind == NameKind::key) && sign == ':' && value.spaced) {
        value.told =
            is_told(scan, name_begin, name) || speaks_of_password(scan, name_begin, name_end);
        if (value.told) kind = NameKind::password;
    }
    if (kind == NameKind::ordinary) kind = classify_by_place(scan, name_begin, name, value);
    if (kind == NameKind::ordinary) {
        if (sign != ':' || value.spaced || !is_user_flag(scan, name_begin)) return {};
        kind = NameKind::password;
    }
    if (kind == NameKind::weak && is_surely_password(scan, name_begin) && has_digit(scan, value))
        kind = NameKind::password;
    if (kind == NameKind::header) return header_value(scan, value);
    if (kind == NameKind::cookie) return cookie_value(scan, value);
    return judged(scan, kind, value);
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
    // define('DB_PASSWORD', '...'): the name of a setting, and no other name behind it.
    const bool setting =
        kind == NameKind::password && std::none_of(name.begin(), name.end(), is_lower);
    if (text.size() < 8 || !(is_strong(text) || (setting && looks_generated(text)))) return {};
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
    if (!read_value(scan, value)) return {};
    // Without its end it may be no element at all: <pwd.h>, vector<Token>(n)
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    const bool closed = is_data || scan.starts_with(value.end, "</");
    if (!closed && (!looks_generated(text) || text.find_first_of(" \t(,") != text.npos)) return {};
    return judged(scan, kind, value);
}

}  // namespace evalfleet::redaction
