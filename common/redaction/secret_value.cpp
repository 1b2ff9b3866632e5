#include "common/redaction/secret_value.hpp"

#include <algorithm>
#include <string>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kJudged = 256;  // of a long value, this much decides what it is
constexpr std::size_t kMaxQuoted = 8192;

bool ends_bare_value(char c) {
    return static_cast<unsigned char>(c) <= 0x20 ||
           std::string_view("\"'`;,&<>()[]{}|\\").find(c) != std::string_view::npos;
}

std::size_t run_of_value(Scan& scan, std::size_t begin, char quote, std::size_t max) {
    if (quote == '\0') return scan.run(begin, max, [](char c) { return !ends_bare_value(c); });
    return scan.run(begin, max,
                    [quote](char c) { return c != quote && c != '\n' && c != '\r' && c != '\0'; });
}

bool is_number(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || c == '.' || c == ',' || c == '-' || c == '+' || c == '%' || c == 'e';
    });
}

bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), is_digit);
}

/// A letter and something else than letters, as in passwords but not in words.
bool is_mixed(std::string_view text) {
    const bool other = std::any_of(text.begin(), text.end(), [](char c) {
        return !is_letter(c) && c != '-' && c != '_' && c != '.' && c != '/' && c != ':';
    });
    return other || looks_generated(text);
}

bool is_only(std::string_view text, std::string_view chars) {
    return text.find_first_not_of(chars) == std::string_view::npos;
}

/// Words that stand where a secret would, and are none.
bool is_known_word(std::string_view text) {
    static constexpr std::string_view kWords[] = {
        "none",     "null",      "nil",     "true",      "false",     "undefined", "required",
        "optional", "string",    "str",     "int",       "bool",      "boolean",   "text",
        "empty",    "missing",   "invalid", "wrong",     "incorrect", "expired",   "unknown",
        "redacted", "masked",    "hidden",  "password",  "secret",    "token",     "varchar",
        "yes",      "no",        "not",     "set",       "unset",     "valid",     "correct",
        "must",     "should",    "the",     "and",       "for",       "with",      "optional[str]",
        "bytes",    "char",      "const",   "default",   "encrypted", "hashed",    "never",
        "always",   "changed",   "reset",   "forgotten", "prompt",    "stdin",     "self",
        "this",     "object",    "any",     "number",    "failed",    "failure",   "success",
        "accepted", "rejected",  "your",    "type",      "please",    "enter",     "n/a",
        "needed",   "too",       "weak",    "strong",    "stored",    "sent",      "used",
        "provided", "given",     "also",    "case",      "here",      "what",      "from",
        "std",      "auto",      "let",     "var",       "new",       "await",     "async",
        "return",   "env",       "bearer",  "basic",     "digest",    "negotiate", "disabled",
        "enabled",  "important", "kept",    "known",     "likely",    "really",    "very",
        "argon2id", "argon2i",   "argon2d", "md5crypt",  "sha256sum", "oauth2"};
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

/// <token>, {{ x }}, [x], %TOKEN%; what is read of a bare value may end before the bracket does.
bool is_bracketed(std::string_view text) {
    const char first = text[0];
    const char last = text.back();
    if (first == '<' || first == '{' || first == '[')
        return last == '>' || last == '}' || last == ']';
    return first == '%' && (last == '%' || text.size() == 2 || text[1] == '(');
}

/// ${VAR}, $VAR, {{ x }}, <token>, %s, ****, xxxx, your-key-here
bool is_placeholder(std::string_view text) {
    if (is_known_word(text) || is_bracketed(text) || text.starts_with("[REDACTED:")) return true;
    const char first = text[0];
    if (first == '$' && text.size() > 1 &&
        (text[1] == '{' || text[1] == '(' ||
         is_only(text.substr(1), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")))
        return true;
    if (is_only(text, "xX") || is_only(text, ".") || is_only(text, "-_=/") || is_only(text, "*#"))
        return true;
    std::string lower;
    for (const char c : text.substr(0, kJudged))
        lower += to_lower(c);
    return lower.starts_with("your") || lower.starts_with("my-") || lower.starts_with("example_") ||
           lower.find("placeholder") != std::string::npos ||
           lower.find("...") != std::string::npos || lower.ends_with("_here") ||
           lower.ends_with("-here");
}

/// 0x00010000: a constant. Keys have more digits.
bool is_constant(std::string_view text) {
    constexpr std::size_t kMax = 10;
    return text.size() <= kMax && (text.starts_with("0x") || text.starts_with("0X"));
}

/// Where something is; what is secret in it, others find.
bool is_address(std::string_view text) {
    return text.starts_with("https://") || text.starts_with("http://");
}

/// A name out of a program: parts of letters with dots or underscores between, or one that names
/// such a value itself.
bool is_identifier(std::string_view text) {
    bool part_begins = true;
    bool has_separator = false;
    for (const char c : text) {
        if (c == '.' || c == '_') {
            has_separator = true;
            part_begins = true;
            continue;
        }
        if (!is_letter(c)) return false;
        part_begins = false;
    }
    if (part_begins) return false;
    return has_separator || classify_name(text) != NameKind::ordinary;
}

/// NAME=value, as the environment of a program is written.
bool is_env_assignment(const Value& value) {
    return value.env_style && value.sign == '=' && !value.spaced;
}

/// What stands right behind a bare value makes it code: a call, an index, a template.
bool is_code(const Scan& scan, const Value& value, std::string_view text) {
    const char next = scan.at(value.end);
    if (next == '(' || next == '[' || next == '{') return true;
    // Variables of an environment hold no code, only now and then the name of another one; a
    // password may well have the word in it.
    if (is_env_assignment(value))
        return std::none_of(text.begin(), text.end(), is_lower) &&
               classify_name(text) != NameKind::ordinary;
    return is_identifier(text);
}

bool is_last_of_line(const Scan& scan, std::size_t end) {
    const char c = scan.at(end);
    return c == '\0' || c == '\n' || c == '\r';
}

bool is_secret_password(const Scan& scan, const Value& value, std::string_view text) {
    if (value.quote != '\0') return text.size() >= 3 && text.find("  ") == std::string_view::npos;
    if (value.told) return text.size() >= 5 && is_mixed(text);
    if (text.size() < 3) return false;
    if (value.sign == '=' && !value.spaced) return true;
    if (value.sign == ':' && !value.spaced && text.size() >= 4) return true;
    if (is_number(text)) return text.size() >= 4;
    if (is_mixed(text)) return text.size() >= 4;
    // A line of a settings file; a word in running text has others behind it.
    return value.sign != '\0' && value.starts_line && text.size() >= 5 &&
           is_last_of_line(scan, value.end);
}

/// Capitals in and between small letters as no name has them: `onionHKwDMXZO`.
bool has_drawn_case(std::string_view text) {
    constexpr std::size_t kLeast = 10;
    std::size_t capitals = 0;
    std::size_t runs = 0;
    bool has_run = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_letter(text[i])) return false;
        if (!is_upper(text[i])) continue;
        ++capitals;
        const bool goes_on = i > 0 && is_upper(text[i - 1]);
        has_run = has_run || goes_on;
        if (!goes_on) ++runs;
    }
    return text.size() >= kLeast && capitals >= 4 && capitals < text.size() && runs >= 2 && has_run;
}

bool is_secret_secret(const Value& value, std::string_view text) {
    if (text.size() < 6) return false;
    const bool close = value.quote != '\0' || (value.sign == '=' && !value.spaced);
    if (close && text.find(' ') == std::string_view::npos) return !is_number(text);
    return (looks_generated(text) && has_digit(text)) || has_drawn_case(text);
}

bool is_secret_token(const Value& value, std::string_view text) {
    if (text.size() < 8 || text.find(' ') != std::string_view::npos || is_number(text))
        return false;
    if (value.quote == '\0' && !has_digit(text))
        return (text.size() >= 24 && looks_generated(text)) || has_drawn_case(text) ||
               is_env_assignment(value);
    return looks_generated(text) || text.size() >= 20;
}

bool is_secret_key(const Value& value, std::string_view text) {
    if (!is_secret_token(value, text) || text.size() < 16 || !has_digit(text)) return false;
    if (std::none_of(text.begin(), text.end(), is_letter)) return false;
    if (!std::all_of(text.begin(), text.end(), is_token_char)) return false;
    const bool mixed = std::any_of(text.begin(), text.end(), is_upper) &&
                       std::any_of(text.begin(), text.end(), is_lower);
    return value.env_style || (mixed && text.size() >= 20);
}

bool is_secret_signature(std::string_view text) {
    return text.size() >= 20 && has_digit(text) && text.find(' ') == std::string_view::npos &&
           !is_number(text);
}

/// Behind the mark of a YAML block (`|`, `>-`), a backslash of the shell, or a line end before a
/// quote: where the next line's text begins. Else `i`.
std::size_t skip_line_end(Scan& scan, std::size_t i) {
    constexpr std::size_t kMaxIndent = 32;
    std::size_t mark = i;
    if (scan.at(i) == '|' || scan.at(i) == '>')
        mark = scan.run(i + 1, 3, [](char c) { return c == '-' || c == '+' || is_digit(c); });
    if (scan.at(i) == '\\' && scan.at(i + 1) == '\n') mark = i + 1;
    if (scan.at(mark) == '\r') ++mark;
    if (scan.at(mark) != '\n') return i;
    const std::size_t text =
        scan.run(mark + 1, kMaxIndent, [](char c) { return c == ' ' || c == '\t'; });
    return mark > i || is_quote(scan.at(text)) ? text : i;
}

/// `!vault` and other tags of YAML.
std::size_t skip_tag(Scan& scan, std::size_t i) {
    if (scan.at(i) != '!') return i;
    const std::size_t end = scan.run(i + 1, 24, is_key_char);
    return end > i + 1 && scan.at(end) == ' ' ? end + 1 : i;
}

}  // namespace

bool is_strong(std::string_view token) {
    token = token.substr(0, kJudged);
    const auto digit = std::find_if(token.begin(), token.end(), is_digit);
    const bool letter_behind = std::any_of(digit, token.end(), is_letter);
    return letter_behind && std::any_of(token.begin(), token.end(), is_letter) &&
           !is_known_word(token);
}

Value value_from(Scan& scan, std::size_t i, char sign) {
    constexpr std::size_t kMaxGap = 8;
    Value value;
    value.sign = sign;
    const std::size_t blanks = scan.run(i, kMaxGap, [](char c) { return c == ' ' || c == '\t'; });
    value.spaced = blanks != i;
    i = skip_tag(scan, skip_line_end(scan, blanks));
    // Python's b'...', r"...", f"..."
    if (is_letter(scan.at(i)) && is_quote(scan.at(i + 1))) ++i;
    const std::size_t slashes = scan.run(i, kMaxGap, [](char c) { return c == '\\'; });
    if (is_quote(scan.at(slashes))) {
        i = slashes;
        value.quote = scan.at(i);
        const bool tripled = scan.at(i + 1) == value.quote && scan.at(i + 2) == value.quote;
        i += tripled ? 3 : 1;
    } else if (sign == '=' && !value.spaced && scan.at(i) == '{') {
        value.quote = '}';  // ODBC
        ++i;
    }
    value.begin = i;
    return value;
}

bool is_private_number(Scan& scan, Value value) {
    constexpr std::size_t kLeast = 43;
    const std::size_t end = scan.run(value.begin, kJudged, is_key_char);
    return end - value.begin >= kLeast && scan.at(end) == value.quote;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return to_lower(a) == b; });
}

bool looks_generated(std::string_view token) {
    const std::string_view judged = token.substr(0, kJudged);
    if (has_digit(judged)) return true;
    return judged.size() > 1 && std::any_of(judged.begin() + 1, judged.end(), is_upper) &&
           std::any_of(judged.begin(), judged.end(), is_lower);
}

bool is_token_like(std::string_view token) {
    return looks_generated(token) || token.size() >= 20 || token.find('=') != token.npos;
}

bool read_value(Scan& scan, Value& value) {
    value.end = run_of_value(scan, value.begin, value.quote, kJudged);
    if (value.end - value.begin == kJudged) return true;
    if (value.quote == '\0') {
        while (value.end > value.begin &&
               std::string_view(".:").find(scan.at(value.end - 1)) != std::string_view::npos)
            --value.end;
    } else if (scan.at(value.end) == value.quote && value.quote != '<') {
        // A quote that is escaped ends the value, and its backslash is not of it.
        while (value.end > value.begin && scan.at(value.end - 1) == '\\')
            --value.end;
    }
    return value.end > value.begin;
}

void read_rest(Scan& scan, Value& value) {
    if (value.end - value.begin < kJudged) return;
    value.end = run_of_value(scan, value.end, value.quote, kMaxQuoted);
}

bool is_secret_value(const Scan& scan, NameKind name, const Value& value) {
    const std::string_view text = scan.text().substr(value.begin, value.end - value.begin);
    if (is_placeholder(text) || is_address(text)) return false;
    if (value.quote == '\0' && is_constant(text)) return false;
    if (value.quote == '\0' && is_code(scan, value, text)) return false;
    // Braces hold code more often than what ODBC puts into them.
    if (value.quote == '}' && (!is_strong(text) || text.find_first_of(" :\"'$(") != text.npos))
        return false;
    switch (name) {
        case NameKind::password:
            return is_secret_password(scan, value, text);
        case NameKind::secret:
            return is_secret_secret(value, text);
        case NameKind::token:
        case NameKind::cloud:
            return is_secret_token(value, text);
        case NameKind::weak:
            return is_secret_token(value, text) && is_strong(text) && text.find('_') == text.npos;
        case NameKind::key:
            return is_secret_key(value, text);
        case NameKind::signature:
            return is_secret_signature(text);
        default:
            return false;
    }
}

}  // namespace evalfleet::redaction
