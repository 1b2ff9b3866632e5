#include "common/redaction/decoding.hpp"

#include "common/redaction/hex.hpp"
#include "common/redaction/scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace evalfleet::redaction {
namespace {

/// What stands for nothing that can be seen: a zero-width mark, a colour of a terminal.
constexpr std::uint32_t kNothing = 0xFFFFFFFF;

/// How many bytes an escape takes, and the character it stands for.
struct Escape {
    std::size_t size = 0;  ///< 0: none
    std::uint32_t code = kNothing;
    bool is_byte = false;  ///< `code` is one byte of a character's UTF-8
};

/// The number that `digits` are in this base, -1 if there is another character or it is none of
/// Unicode's.
std::int32_t to_number(std::string_view digits, std::int32_t base) {
    constexpr std::int32_t kLargest = 0x10FFFF;
    if (digits.empty()) return -1;
    std::int32_t number = 0;
    for (const char c : digits) {
        const int value = hex_value(c);
        if (value < 0 || value >= base) return -1;
        number = number * base + value;
        if (number > kLargest) return -1;
    }
    return number;
}

Escape character(std::int32_t code, std::size_t size) {
    return code > 0 ? Escape{size, static_cast<std::uint32_t>(code)} : Escape{};
}

Escape byte(std::int32_t code, std::size_t size) {
    return code > 0 ? Escape{size, static_cast<std::uint32_t>(code), true} : Escape{};
}

/// The digits from `begin` on, exactly `count` of them.
Escape character_at(std::string_view text, std::size_t begin, std::size_t count) {
    if (text.size() < begin + count) return {};
    return character(to_number(text.substr(begin, count), 16), begin + count);
}

/// \u0040, \u{40}
Escape unicode(std::string_view text) {
    constexpr std::size_t kLongest = 12;
    if (text.size() < 3 || text[2] != '{') return character_at(text, 2, 4);
    const std::size_t end = text.substr(0, kLongest).find('}');
    if (end == std::string_view::npos) return {};
    return character(to_number(text.substr(3, end - 3), 16), end + 1);
}

Escape backslash(std::string_view text) {
    if (text.size() < 2) return {};
    switch (text[1]) {
        case '"':
        case '\'':
        case '\\':
        case '/':
            return character(text[1], 2);
        case 'n':
            return character('\n', 2);
        case 'r':
            return character('\r', 2);
        case 't':
            return character('\t', 2);
        case 'u':
            return unicode(text);
        case 'U':
            return character_at(text, 2, 8);
        case 'x':
            return text.size() < 4 ? Escape{} : byte(to_number(text.substr(2, 2), 16), 4);
        default:
            // C's and the shell's octal numbers
            if (text.size() < 4 || text[1] > '3') return {};
            return byte(to_number(text.substr(1, 3), 8), 4);
    }
}

/// %40, and %u0040 of old scripts
Escape percent(std::string_view text) {
    if (text.size() < 3) return {};
    if (text[1] == 'u') return character_at(text, 2, 4);
    return byte(to_number(text.substr(1, 2), 16), 3);
}

/// Quoted-printable: a line end, and the bytes that mail programs write so. Others are left: `x=41`
/// is more often a setting.
Escape quoted_printable(std::string_view text) {
    if (text.starts_with("=\n")) return {2};
    if (text.starts_with("=\r\n")) return {3};
    if (text.size() < 3 || !(is_digit(text[1]) && !is_lower(text[2]))) return {};
    const std::int32_t code = to_number(text.substr(1, 2), 16);
    return code < 0 || std::string_view("=@ \t.:/+-_").find(static_cast<char>(code)) ==
                           std::string_view::npos
               ? Escape{}
               : byte(code, 3);
}

Escape entity(std::string_view text) {
    constexpr std::size_t kLongest = 14;
    const std::size_t end = text.substr(0, kLongest).find(';');
    if (end == std::string_view::npos || end < 3) return {};
    const std::string_view name = text.substr(1, end - 1);
    if (name[0] == '#') {
        const bool is_hex = name.size() > 2 && to_lower(name[1]) == 'x';
        return character(is_hex ? to_number(name.substr(2), 16) : to_number(name.substr(1), 10),
                         end + 1);
    }
    struct Named {
        std::string_view name;
        char value;
    };
    static constexpr Named kNamed[] = {
        {"amp", '&'},  {"lt", '<'},     {"gt", '>'},    {"quot", '"'},   {"apos", '\''},
        {"nbsp", ' '}, {"commat", '@'}, {"colon", ':'}, {"period", '.'}, {"equals", '='},
        {"plus", '+'}, {"lowbar", '_'}, {"sol", '/'},   {"hyphen", '-'}};
    for (const Named& known : kNamed) {
        if (known.name == name) return character(known.value, end + 1);
    }
    return {};
}

/// Characters that look like those of ASCII from `to` on.
struct Lookalikes {
    std::uint32_t first;
    std::uint32_t last;
    char to;
    bool one_by_one;  ///< else all look like `to`
};

constexpr Lookalikes kLookalikes[] = {
    {0x00A0, 0x00A0, ' ', false}, {0x0660, 0x0669, '0', true},   // Arabic digits
    {0x06F0, 0x06F9, '0', true},  {0x0966, 0x096F, '0', true},   // Persian, Devanagari
    {0x2000, 0x200A, ' ', false}, {0x2010, 0x2013, '-', false},  // blanks, hyphens
    {0x202F, 0x202F, ' ', false}, {0x205F, 0x205F, ' ', false}, {0x2212, 0x2212, '-', false},
    {0x3000, 0x3000, ' ', false}, {0xFF01, 0xFF5E, '!', true},  // full-width forms
};

constexpr std::uint32_t kMathDigits = 0x1D7CE;  // five alphabets of ten digits
constexpr std::uint32_t kMathDigitsEnd = 0x1D800;

/// Soft hyphen, zero-width marks and joiners, directions of writing, byte order mark.
bool is_invisible(std::uint32_t code) {
    return code == 0x00AD || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x2064) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// A character beyond ASCII that looks like one of it, or like nothing.
Escape lookalike(std::uint32_t code, std::size_t size) {
    if (is_invisible(code)) return {size};
    if (code >= kMathDigits && code < kMathDigitsEnd)
        return {size, '0' + (code - kMathDigits) % 10};
    for (const Lookalikes& range : kLookalikes) {
        if (code < range.first || code > range.last) continue;
        const auto to = static_cast<std::uint32_t>(range.to);
        return {size, to + (range.one_by_one ? code - range.first : 0)};
    }
    return {};
}

/// What stands in UTF-8 at the begin of `text`, of the blocks that have such characters.
Escape typographic(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size()
                   ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) & 0x3F
                   : 0;
    };
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0xE0)
        return text.size() < 2 ? Escape{} : lookalike((first & 0x1FU) << 6 | at(1), 2);
    if (first < 0xF0) {
        if (text.size() < 3) return {};
        return lookalike((first & 0x0FU) << 12 | at(1) << 6 | at(2), 3);
    }
    if (text.size() < 4) return {};
    return lookalike((first & 0x07U) << 18 | at(1) << 12 | at(2) << 6 | at(3), 4);
}

/// The colours of a terminal: ESC [ 1 ; 31 m
Escape terminal(std::string_view text) {
    constexpr std::size_t kLongest = 16;
    if (text.size() < 3 || text[1] != '[') return {};
    for (std::size_t i = 2; i < std::min(text.size(), kLongest); ++i) {
        if (is_letter(text[i])) return {i + 1};
        if (!is_digit(text[i]) && text[i] != ';') return {};
    }
    return {};
}

constexpr std::array<bool, 256> kIsEscapeBegin = [] {
    std::array<bool, 256> begins{};
    for (const unsigned char c : {'\\', '%', '&', '=', '+', '\x1B', '\xC2', '\xD9', '\xDB', '\xE0',
                                  '\xE2', '\xE3', '\xEF', '\xF0'})
        begins[c] = true;
    return begins;
}();

/// The first byte beyond ASCII, or near before it. Eight at a time.
std::size_t first_beyond_ascii(std::string_view text) {
    constexpr std::uint64_t kHighBits = 0x8080808080808080;
    std::size_t i = 0;
    for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word) {
        std::memcpy(&word, text.data() + i, sizeof word);
        if ((word & kHighBits) != 0) break;
    }
    return i;
}

/// In a form that was sent, '+' is a blank: in a word with a percent escape, and in the value of a
/// field with others beside it (`?name=value`, `name=value&`), and between the words of a sentence.
/// Each byte is looked at a few times at most.
class FormBlanks {
  public:
    explicit FormBlanks(std::string_view text) : text_(text) {}

    /// `i` never goes back.
    [[nodiscard]] bool is_blank(std::size_t i) {
        go_to_word_of(i);
        for (; seen_ < i; ++seen_)
            see(text_[seen_]);
        if (encoded_) return true;
        look_ahead(i);
        if (sign_ahead_ == '%' || is_in_sentence(i)) return true;
        if (!named_ || !(in_query_ || sign_ahead_ == '&')) return false;
        return i > 0 && is_alnum(text_[i - 1]) && i + 1 < text_.size() && is_alnum(text_[i + 1]);
    }

  private:
    static bool ends_word(char c) { return static_cast<unsigned char>(c) <= 0x20; }

    /// What stands before the word says nothing about it.
    void go_to_word_of(std::size_t i) {
        std::size_t word = i;
        while (word > seen_ && !ends_word(text_[word - 1]))
            --word;
        if (word == seen_) return;
        seen_ = word;
        encoded_ = in_query_ = named_ = false;
        name_size_ = 0;
    }

    void see(char c) {
        if (ends_word(c) || c == '"' || c == '\'') {
            encoded_ = encoded_ && !ends_word(c);
            in_query_ = named_ = false;
            name_size_ = 0;
        } else if (c == '&' || c == '?') {
            in_query_ = true;
            named_ = false;
            name_size_ = 0;
        } else if (c == '=') {
            named_ = named_ || (name_size_ > 0 && name_size_ <= kMaxName);
            name_size_ = kMaxName;
        } else if (c == '%') {
            encoded_ = true;
        } else {
            name_size_ = is_key_char(c) || c == '.' ? name_size_ + 1 : kMaxName + 1;
        }
    }

    /// "call+me+on+020+7946+0958": nothing in it but blanks had to be encoded. Two words of letters
    /// tell it from a sum.
    [[nodiscard]] bool is_in_sentence(std::size_t i) {
        if (i < sentence_end_) return is_sentence_;
        std::size_t begin = i;
        while (begin > sentence_end_ && is_sentence_char(text_[begin - 1]))
            --begin;
        int words = 0;
        std::size_t letters = 0;
        bool only_letters = true;
        for (sentence_end_ = begin;; ++sentence_end_) {
            const char c = sentence_end_ < text_.size() ? text_[sentence_end_] : '\0';
            if (is_letter(c)) {
                ++letters;
            } else if (c != '+' && is_sentence_char(c)) {
                only_letters = false;
            } else {
                if (only_letters && letters >= 2) ++words;
                letters = 0;
                only_letters = true;
                if (c != '+') break;
            }
        }
        is_sentence_ = words >= 2;
        return is_sentence_;
    }

    static bool is_sentence_char(char c) {
        return is_key_char(c) || c == '+' || c == '.' || c == '@' || c == ':';
    }

    /// The next sign of a form in the word.
    void look_ahead(std::size_t i) {
        if (i < ahead_) return;
        sign_ahead_ = '\0';
        for (ahead_ = i + 1; ahead_ < text_.size() && !ends_word(text_[ahead_]); ++ahead_) {
            if (text_[ahead_] != '%' && text_[ahead_] != '&') continue;
            sign_ahead_ = text_[ahead_];
            return;
        }
    }

    static constexpr std::size_t kMaxName = 64;

    std::string_view text_;
    std::size_t seen_ = 0;
    bool encoded_ = false;       ///< the word has a percent escape
    bool in_query_ = false;      ///< a '?' or '&' stood before the field
    std::size_t name_size_ = 0;  ///< of what may be the field's name; beyond kMaxName: none
    bool named_ = false;         ///< this is the value of a field
    std::size_t ahead_ = 0;      ///< where the next sign is, or the end of the word
    char sign_ahead_ = '\0';
    std::size_t sentence_end_ = 0;  ///< of the words with '+' between that were looked at last
    bool is_sentence_ = false;
};

/// Where the first escape may begin. Most texts have none, and to know that a look for each of the
/// few bytes is faster than a look at each byte. Signs of equality are everywhere; in mails one of
/// them is escaped itself.
std::size_t first_escape(std::string_view text) {
    std::size_t first = first_beyond_ascii(text);
    for (const char c : {'\\', '%', '&', '\x1B'})
        first = std::min(first, text.substr(0, first).find(c));
    for (const std::string_view mark : {"=3D", "=40"})
        first = std::min(first, text.substr(0, first).find(mark));
    first = std::min(first, text.size());
    FormBlanks blanks(text);
    for (std::size_t i = text.find('+'); i < first; i = text.find('+', i + 1)) {
        if (blanks.is_blank(i)) return i;
    }
    return first;
}

Escape escape_at(std::string_view text) {
    switch (text[0]) {
        case '\\':
            return backslash(text);
        case '%':
            return percent(text);
        case '&':
            return entity(text);
        case '=':
            return quoted_printable(text);
        case '\x1B':
            return terminal(text);
        default:
            return typographic(text);
    }
}

void append(std::string& out, const Escape& escape) {
    const std::uint32_t code = escape.code;
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code == kNothing) return;
    if (escape.is_byte || code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            add(0xE0 | code >> 12);
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 0x3F));
        }
        add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

}  // namespace

bool Decoding::decode(std::string_view text) {
    text_.clear();
    shifts_.clear();
    std::size_t kept = 0;
    FormBlanks blanks(text);
    const auto replace = [&](std::size_t i, const Escape& escape) {
        text_ += text.substr(kept, i - kept);
        append(text_, escape);
        kept = i + escape.size;
        shifts_.emplace_back(text_.size(), kept - text_.size());
        return kept;
    };
    std::size_t i = first_escape(text);
    while (i < text.size()) {
        if (!kIsEscapeBegin[static_cast<unsigned char>(text[i])]) {
            ++i;
            continue;
        }
        const Escape escape = text[i] != '+'       ? escape_at(text.substr(i))
                              : blanks.is_blank(i) ? character(' ', 1)
                                                   : Escape{};
        if (escape.size == 0) {
            ++i;
            continue;
        }
        i = replace(i, escape);
    }
    if (shifts_.empty()) return false;
    text_ += text.substr(kept);
    return true;
}

std::size_t Decoding::origin(std::size_t i) const {
    const auto after = std::upper_bound(
        shifts_.begin(), shifts_.end(), i,
        [](std::size_t offset, const auto& shift) { return offset < shift.first; });
    return after == shifts_.begin() ? i : i + std::prev(after)->second;
}

}  // namespace evalfleet::redaction
