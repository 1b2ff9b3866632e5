#include "common/json/diagnose.hpp"

#include "common/json/escape.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace evalfleet::json {
namespace {

struct Fault {
    std::size_t offset;
    std::string reason;
    ErrorKind kind = ErrorKind::invalid;
};

/// Walks a text token by token, without recursion, and throws the first Fault it meets.
/// The exception never leaves `diagnose`.
class Inspector {
  public:
    Inspector(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

    void inspect() {
        value();
        while (!open_.empty())
            after_value();
        skip_space();
        if (!at_end()) fail("expected the end of the text, found " + found());
    }

  private:
    [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }

    [[noreturn]] void fail(std::string reason, ErrorKind kind = ErrorKind::invalid) const {
        throw Fault{at_, std::move(reason), kind};
    }

    [[nodiscard]] std::string found() const {
        if (at_end()) return "the end of the text";
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (byte > 0x20 && byte < 0x7F) return fmt::format("'{}'", text_[at_]);
        return fmt::format("byte 0x{:02x}", byte);
    }

    void skip_space() {
        while (!at_end() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) {
            ++at_;
        }
    }

    void open(char bracket) {
        if (open_.size() == max_depth_) {
            fail(fmt::format("nested deeper than {} levels", max_depth_), ErrorKind::too_large);
        }
        open_.push_back(bracket);
        ++at_;
        skip_space();
        if (peek() == (bracket == '{' ? '}' : ']') && !at_end()) {
            close();
        } else if (bracket == '{') {
            key_then_value();
        } else {
            value();
        }
    }

    void close() {
        open_.pop_back();
        ++at_;
    }

    // Recursion value -> open -> value goes as deep as the nesting, which max_depth bounds.
    void value() {
        skip_space();
        const char c = peek();
        if (at_end()) fail("expected a value, found the end of the text");
        if (c == '{' || c == '[') return open(c);
        if (c == '"') return string();
        if (c == '-' || (c >= '0' && c <= '9')) return number();
        if (c == 't') return word("true");
        if (c == 'f') return word("false");
        if (c == 'n') return word("null");
        fail("expected a value, found " + found());
    }

    void after_value() {
        skip_space();
        const char end = open_.back() == '{' ? '}' : ']';
        if (peek() == end && !at_end()) return close();
        if (peek() != ',') fail(fmt::format("expected ',' or '{}', found {}", end, found()));
        ++at_;
        skip_space();
        if (open_.back() == '{') return key_then_value();
        value();
    }

    void key_then_value() {
        skip_space();
        if (peek() != '"') fail("expected a key in double quotes, found " + found());
        string();
        skip_space();
        if (peek() != ':') fail("expected ':' behind a key, found " + found());
        ++at_;
        value();
    }

    void word(std::string_view expected) {
        if (text_.substr(at_, expected.size()) != expected) {
            fail(fmt::format("expected {}", expected));
        }
        at_ += expected.size();
    }

    void string() {
        const std::size_t begin = at_++;
        for (;;) {
            if (at_end()) {
                at_ = begin;
                fail("a string that never ends");
            }
            const auto byte = static_cast<unsigned char>(peek());
            if (byte == '"') break;
            if (byte < 0x20) fail(fmt::format("control character 0x{:02x} in a string", byte));
            if (byte == '\\') {
                escape();
                continue;
            }
            const std::size_t length = utf8_sequence_length(text_.substr(at_, 4));
            if (length == 0) fail("invalid UTF-8 in a string");
            at_ += length;
        }
        ++at_;
    }

    unsigned hex4() {
        unsigned code = 0;
        const std::string_view digits = text_.substr(at_ + 2, 4);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4) {
            fail("expected four hexadecimal digits behind \\u");
        }
        return code;
    }

    void escape() {
        const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (c != 'u') {
            if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
                fail("an unknown escape sequence");
            }
            at_ += 2;
            return;
        }
        const unsigned code = hex4();
        if (code < 0xD800 || code > 0xDFFF) {
            at_ += 6;
            return;
        }
        if (code > 0xDBFF || text_.substr(at_ + 6, 2) != "\\u") fail("half a surrogate pair");
        at_ += 6;
        const unsigned low = hex4();
        if (low < 0xDC00 || low > 0xDFFF) fail("half a surrogate pair");
        at_ += 6;
    }

    void digits() {
        if (peek() < '0' || peek() > '9') fail("expected a digit, found " + found());
        while (peek() >= '0' && peek() <= '9')
            ++at_;
    }

    void number() {
        const std::size_t begin = at_;
        bool whole = true;
        if (peek() == '-') ++at_;
        if (peek() == '0') {
            ++at_;
            if (peek() >= '0' && peek() <= '9') fail("a number with a leading zero");
        } else {
            digits();
        }
        if (peek() == '.') {
            whole = false;
            ++at_;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            digits();
        }
        check_range(begin, whole);
    }

    void check_range(std::size_t begin, bool whole) {
        const char* const first = text_.data() + begin;
        const char* const last = text_.data() + at_;
        std::errc error{};
        if (!whole) {
            // Unlike from_chars, strtod tells too large from too small; the latter is no fault.
            const double number = std::strtod(std::string(first, last).c_str(), nullptr);
            if (std::isinf(number)) error = std::errc::result_out_of_range;
        } else if (*first == '-') {
            std::int64_t number = 0;
            error = std::from_chars(first, last, number).ec;
        } else {
            std::uint64_t number = 0;
            error = std::from_chars(first, last, number).ec;
        }
        if (error == std::errc{}) return;
        at_ = begin;
        fail(whole ? "an integer beyond 64 bits" : "a number beyond the range of a double");
    }

    std::string_view text_;
    std::size_t max_depth_;
    std::size_t at_ = 0;
    std::vector<char> open_;
};

std::string position(std::string_view text, std::size_t offset) {
    std::size_t line = 1;
    std::size_t line_begin = 0;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++line;
            line_begin = i + 1;
        }
    }
    return fmt::format("line {}, column {}", line, offset - line_begin + 1);
}

}  // namespace

std::optional<Error> diagnose(std::string_view text, std::size_t max_depth) {
    try {
        Inspector(text, max_depth).inspect();
    } catch (const Fault& fault) {
        return Error{fault.kind, fmt::format("{}: {}", position(text, fault.offset), fault.reason)};
    }
    return std::nullopt;
}

}  // namespace evalfleet::json
