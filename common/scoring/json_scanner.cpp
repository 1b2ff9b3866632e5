#include "common/scoring/json_scanner.hpp"

#include "common/json/escape.hpp"
#include "common/scoring/utf8.hpp"

#include <cstdint>

namespace evalfleet::scoring {

namespace {

constexpr std::uint32_t kFirstHighSurrogate = 0xD800;
constexpr std::uint32_t kFirstLowSurrogate = 0xDC00;
constexpr std::uint32_t kAfterSurrogates = 0xE000;
constexpr std::size_t kHexDigits = 4;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The value of four hex digits, or -1.
std::int32_t hex4(std::string_view digits) {
    if (digits.size() < kHexDigits) return -1;
    std::int32_t value = 0;
    for (const char c : digits.substr(0, kHexDigits)) {
        const int digit = hex_value(c);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/// A \u escape with its second half, if it is one of a pair. Length 0: not valid.
struct UnicodeEscape {
    std::uint32_t code_point = 0;
    std::size_t length = 0;  ///< of the text behind the first \u
};

UnicodeEscape read_unicode_escape(std::string_view behind_u) {
    const std::int32_t first = hex4(behind_u);
    if (first < 0) return {};
    const auto high = static_cast<std::uint32_t>(first);
    if (high < kFirstHighSurrogate || high >= kAfterSurrogates) return {high, kHexDigits};
    if (high >= kFirstLowSurrogate) return {};
    const std::string_view rest = behind_u.substr(kHexDigits);
    if (!rest.starts_with("\\u")) return {};
    const std::int32_t second = hex4(rest.substr(2));
    if (second < 0) return {};
    const auto low = static_cast<std::uint32_t>(second);
    if (low < kFirstLowSurrogate || low >= kAfterSurrogates) return {};
    const std::uint32_t offset = ((high - kFirstHighSurrogate) << 10) | (low - kFirstLowSurrogate);
    return {0x10000 + offset, kHexDigits + 2 + kHexDigits};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

JsonScanner::Token JsonScanner::next() {
    if (failure_ != Token::end) return failure_;
    skip_white_space();
    switch (expect_) {
        case Expect::nothing:
            return at_ == text_.size() ? Token::end : fail();
        case Expect::first_element:
            if (peek() == ']') return close(']');
            return scan_value();
        case Expect::first_key:
            if (peek() == '}') return close('}');
            return scan_key();
        case Expect::key:
            return scan_key();
        case Expect::colon:
            if (peek() != ':') return fail();
            ++at_;
            expect_ = Expect::value;
            return next();
        case Expect::comma_or_close:
            if (peek() != ',') return close(in_object() ? '}' : ']');
            ++at_;
            expect_ = in_object() ? Expect::key : Expect::value;
            return next();
        case Expect::value:
            break;
    }
    return scan_value();
}

JsonScanner::Token JsonScanner::scan_value() {
    const std::size_t begin = at_;
    Token token = Token::malformed;
    switch (peek()) {
        case '{':
            return open(true);
        case '[':
            return open(false);
        case '"':
            return skip_string() ? scalar(Token::string) : fail();
        case 't':
            if (skip_literal("true")) token = Token::boolean;
            break;
        case 'f':
            if (skip_literal("false")) token = Token::boolean;
            break;
        case 'n':
            if (skip_literal("null")) token = Token::null;
            break;
        default:
            if (skip_number()) token = Token::number;
    }
    if (token == Token::malformed) return fail();
    raw_ = text_.substr(begin, at_ - begin);
    return scalar(token);
}

JsonScanner::Token JsonScanner::scan_key() {
    if (peek() != '"' || !skip_string()) return fail();
    expect_ = Expect::colon;
    return Token::key;
}

JsonScanner::Token JsonScanner::open(bool object) {
    if (depth_ == kMaxDepth) return fail(Token::too_deep);
    raw_ = text_.substr(at_, 1);
    ++at_;
    objects_[depth_] = object;
    ++depth_;
    expect_ = object ? Expect::first_key : Expect::first_element;
    return object ? Token::begin_object : Token::begin_array;
}

JsonScanner::Token JsonScanner::close(char bracket) {
    if (peek() != bracket) return fail();
    raw_ = text_.substr(at_, 1);
    ++at_;
    --depth_;
    expect_ = depth_ == 0 ? Expect::nothing : Expect::comma_or_close;
    return bracket == '}' ? Token::end_object : Token::end_array;
}

JsonScanner::Token JsonScanner::scalar(Token token) {
    expect_ = depth_ == 0 ? Expect::nothing : Expect::comma_or_close;
    return token;
}

JsonScanner::Token JsonScanner::fail(Token token) {
    failure_ = token;
    return token;
}

bool JsonScanner::skip_string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size()) {
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (byte == '"') {
            raw_ = text_.substr(begin, at_ - begin);
            ++at_;
            return true;
        }
        if (byte == '\\') {
            if (!skip_escape()) return false;
            continue;
        }
        if (byte < 0x20) return false;
        const std::size_t length = utf8_length(text_.substr(at_));
        if (length == 0) return false;
        at_ += length;
    }
    return false;
}

bool JsonScanner::skip_escape() {
    ++at_;
    if (peek() == 'u') {
        const UnicodeEscape escape = read_unicode_escape(text_.substr(at_ + 1));
        at_ += 1 + escape.length;
        return escape.length != 0;
    }
    if (json::escaped_letter(peek()) == '\0') return false;
    ++at_;
    return true;
}

bool JsonScanner::skip_number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') {
        ++at_;
    } else if (!skip_digits()) {
        return false;
    }
    if (peek() == '.') {
        ++at_;
        if (!skip_digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
        ++at_;
        if (peek() == '+' || peek() == '-') ++at_;
        if (!skip_digits()) return false;
    }
    return true;
}

bool JsonScanner::skip_digits() {
    const std::size_t begin = at_;
    while (is_digit(peek()))
        ++at_;
    return at_ != begin;
}

bool JsonScanner::skip_literal(std::string_view literal) {
    if (!text_.substr(at_).starts_with(literal)) return false;
    at_ += literal.size();
    return true;
}

void JsonScanner::skip_white_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) {
        ++at_;
    }
}

std::string JsonScanner::unescaped() const {
    std::string out;
    out.reserve(raw_.size());
    std::size_t at = 0;
    while (at < raw_.size()) {
        const std::size_t escape = raw_.find('\\', at);
        out.append(raw_.substr(at, escape - at));
        if (escape == std::string_view::npos) break;
        if (raw_[escape + 1] == 'u') {
            const UnicodeEscape unicode = read_unicode_escape(raw_.substr(escape + 2));
            append_utf8(out, unicode.code_point);
            at = escape + 2 + unicode.length;
        } else {
            out.push_back(json::escaped_letter(raw_[escape + 1]));
            at = escape + 2;
        }
    }
    return out;
}

bool is_json(std::string_view text) {
    using Token = JsonScanner::Token;
    JsonScanner scanner(text);
    while (true) {
        const Token token = scanner.next();
        if (token == Token::end) return true;
        if (token == Token::malformed || token == Token::too_deep) return false;
    }
}

}  // namespace evalfleet::scoring
