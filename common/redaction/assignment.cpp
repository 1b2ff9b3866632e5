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

/// Between a name and its value: blanks, and quotes that may be escaped.
bool is_filler(char c) {
    return is_blank(c) || is_quote(c) || c == '\\';
}

bool is_line_end(char c) {
    return c == '\n' || c == '\r' || c == '\0';
}

Kind kind_for(NameKind name) {
    return name == NameKind::cloud ? Kind::cloud_key : Kind::credential;
}

/// Where a value begins behind its separator, and how it is written.
Value value_from(Scan& scan, std::size_t i) {
    Value value;
    const std::size_t blanks = scan.run(i, kMaxGap, is_blank);
    value.spaced = blanks != i;
    i = blanks;
    // Python's b'...', r"...", f"..."
    if (is_letter(scan.at(i)) && is_quote(scan.at(i + 1))) ++i;
    i = scan.run(i, kMaxGap, [](char c) { return c == '\\'; });
    if (is_quote(scan.at(i))) value.quote = scan.at(i++);
    value.begin = i;
    return value;
}

Found judged(Scan& scan, NameKind name, Value value) {
    if (!read_value(scan, value) || !is_secret_value(scan, name, value)) return {};
    read_rest(scan, value);
    return Match{value.begin, value.end, kind_for(name)};
}

/// Authorization: the scheme stays readable, all behind it goes.
Found header_value(Scan& scan, Value value) {
    const std::size_t scheme = scan.run(value.begin, 20, is_key_char);
    if (scheme > value.begin && scan.at(scheme) == ' ') {
        const std::size_t begin = scan.run(scheme, kMaxGap, is_blank);
        const std::size_t end = scan.run(begin, std::string_view::npos, is_token_char);
        std::string name;
        for (const char c : scan.text().substr(value.begin, scheme - value.begin))
            name += to_lower(c);
        static constexpr std::string_view kSchemes[] = {
            "basic", "bearer", "token", "apikey", "api-key",   "key",  "digest",
            "ssws",  "splunk", "bot",   "hmac",   "negotiate", "ntlm", "genie-key"};
        if (std::find(std::begin(kSchemes), std::end(kSchemes), name) == std::end(kSchemes))
            return {};
        if (end - begin < 6 || !is_token_like({scan.text().substr(begin, end - begin)})) return {};
        return Match{begin, end, name == "bearer" ? Kind::bearer_token : Kind::credential};
    }
    return judged(scan, NameKind::token, value);
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

}  // namespace

Found find_assigned(Scan& scan, std::size_t i) {
    const char sign = scan.at(i);
    const char before_sign = scan.before(i);
    if (before_sign == '=' || before_sign == '!' || before_sign == '<' || before_sign == '>')
        return {};
    const std::size_t name_end = scan.run_back(i, kMaxGap, is_filler);
    if (!is_alnum(scan.before(name_end)) && scan.before(name_end) != '_') return {};
    const std::size_t name_begin = scan.run_back(name_end, kMaxName, is_name_char);
    std::size_t begin = i + 1;
    if (sign == '=' && scan.at(begin) == '=') return {};  // a comparison
    if (sign == ':' && scan.at(begin) == ':') return {};  // a scope
    if ((sign == '=' && scan.at(begin) == '>') || (sign == ':' && scan.at(begin) == '=')) ++begin;
    const std::string_view name = scan.text().substr(name_begin, name_end - name_begin);
    NameKind kind = classify_in_text(scan, name_begin, name);
    Value value = value_from(scan, begin);
    value.sign = sign;
    value.starts_line = is_line_end(scan.before(name_begin)) || scan.before(name_begin) == ' ';
    value.env_style = std::none_of(name.begin(), name.end(), is_lower);
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
    const Value value = value_from(scan, end);
    if (scan.at(value.begin) == '-') return {};
    return judged(scan, kind, value);
}

Found find_element(Scan& scan, std::size_t i) {
    const std::size_t begin = scan.run_back(i, kMaxName, is_name_char);
    if (begin == i || scan.before(begin) != '<') return {};
    const NameKind kind = classify_name(scan.text().substr(begin, i - begin));
    if (kind == NameKind::ordinary) return {};
    Value value = value_from(scan, i + 1);
    value.quote = '<';
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
            Value value = value_from(scan, gap + verb.size());
            value.spaced = true;
            value.told = true;
            return value;
        }());
    }
    const Value value = value_from(scan, gap);
    return value.quote == '\'' ? judged(scan, NameKind::password, value) : Found();
}

}  // namespace evalfleet::redaction
