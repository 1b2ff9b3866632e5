#include "common/json/quick_reader.hpp"

#include "common/json/escape.hpp"
#include "common/json/expected_name.hpp"
#include "common/json/plain_number.hpp"
#include "common/json/token_finder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace evalfleet::json {
namespace {

using Kind = FieldValue::Kind;

constexpr int kMaxDepth = 16;
constexpr std::size_t kMostPlaces = 256;

constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// A place in the list of tokens; null: not sure. Handed from one step to the next rather than kept,
// so that it stays in a register: the steps are short, and wait for nothing else.
using Token = const std::uint32_t*;

}  // namespace

struct QuickReader::State {
    explicit State(const NameTable& names) : table(names), members(names.size()) {}

    bool read(std::string_view line, std::span<FieldValue> values);

    // Each of these begins at a token and returns the one behind what it took. There always is one:
    // what ends with the line's last token is refused, but for the closing brace of the line.
    Token take(Token at, char structural) const noexcept;
    Token take_string(Token at, std::string_view& raw) const noexcept;
    Token take_name(Token at, std::size_t place, std::size_t& slot);
    Token take_new_name(Token at, std::size_t place, std::size_t& slot);
    Token take_wanted(Token at, FieldValue& value, std::size_t slot);
    Token take_scalar(Token at, FieldValue& value);
    Token take_text(Token at, std::string_view& text);
    Token take_members(Token at, std::vector<FieldMember>& list);
    Token pass_value(Token at, int depth);
    Token pass_object(Token at, int depth);
    Token pass_array(Token at, int depth);
    Token pass_literal(Token at, std::string_view word) const noexcept;

    // Checks a string's escapes, and replaces them. False for those of many digits.
    bool resolve(std::string_view raw, std::string_view& text);
    [[nodiscard]] bool has_escape(std::string_view raw) const noexcept;
    [[nodiscard]] const char* text_at(Token at) const noexcept { return line + *at; }
    [[nodiscard]] char first_of(Token at) const noexcept { return line[*at]; }

    const NameTable& table;
    TokenFinder finder;
    std::vector<ExpectedName> expected;
    std::vector<std::vector<FieldMember>> members;  ///< one list a name, its memory used again
    std::string unescaped;                          ///< never grows while a line is read
    const char* line = nullptr;
    Token last = nullptr;
    bool has_escapes = false;  ///< there is a backslash somewhere in the line
};

bool QuickReader::State::read(std::string_view text, std::span<FieldValue> values) {
    const auto tokens = finder.find(text);
    if (tokens.size() < 2) return false;
    line = text.data();
    last = &tokens.back();
    has_escapes = std::memchr(line, '\\', text.size()) != nullptr;
    unescaped.clear();
    if (has_escapes) unescaped.reserve(text.size());
    for (FieldValue& value : values)
        value.kind = Kind::absent;
    Token at = take(tokens.data(), '{');
    if (at == nullptr) return false;
    if (first_of(at) == '}') return at == last;
    for (std::size_t place = 0; at != nullptr; ++place) {
        std::size_t slot = 0;
        at = take_name(at, place, slot);
        if (at != nullptr) at = take(at, ':');
        if (at == nullptr) break;
        if (slot == table.size()) {
            at = pass_value(at, 0);
        } else {
            if (values[slot].kind != Kind::absent) break;
            at = take_wanted(at, values[slot], slot);
        }
        if (at == nullptr) break;
        if (first_of(at) == '}') return at == last;
        at = take(at, ',');
    }
    return false;
}

inline Token QuickReader::State::take(Token at, char structural) const noexcept {
    return first_of(at) == structural && at != last ? at + 1 : nullptr;
}

inline Token QuickReader::State::take_string(Token at, std::string_view& raw) const noexcept {
    if (first_of(at) != '"' || at == last) return nullptr;
    const char* const first = text_at(at) + 1;
    ++at;
    // Closed it is, and nothing but white space comes before the next token.
    const char* close = text_at(at) - 1;
    while (is_space(*close))
        --close;
    if (*close != '"' || close < first) return nullptr;
    raw = {first, static_cast<std::size_t>(close - first)};
    return at;
}

inline Token QuickReader::State::take_name(Token at, std::size_t place, std::size_t& slot) {
    if (place < expected.size() && first_of(at) == '"' && at != last &&
        expected[place].is_at(text_at(at) + 1)) {
        slot = expected[place].slot();
        return at + 1;
    }
    return take_new_name(at, place, slot);
}

Token QuickReader::State::take_new_name(Token at, std::size_t place, std::size_t& slot) {
    std::string_view name;
    at = take_string(at, name);
    if (at == nullptr || has_escape(name)) return nullptr;
    slot = table.find(name);
    if (place >= kMostPlaces) return at;
    if (place >= expected.size()) expected.resize(place + 1);
    expected[place].set(name, slot);
    return at;
}

inline bool QuickReader::State::has_escape(std::string_view raw) const noexcept {
    return has_escapes && std::memchr(raw.data(), '\\', raw.size()) != nullptr;
}

inline Token QuickReader::State::take_text(Token at, std::string_view& text) {
    at = take_string(at, text);
    return at == nullptr || !has_escape(text) || resolve(text, text) ? at : nullptr;
}

bool QuickReader::State::resolve(std::string_view raw, std::string_view& text) {
    const std::size_t begin = unescaped.size();
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const std::size_t escape = std::min(raw.find('\\', i), raw.size());
        unescaped.append(raw, i, escape - i);
        if (escape == raw.size()) break;
        i = escape + 1;
        const char c = i < raw.size() ? escaped_letter(raw[i]) : '\0';
        if (c == '\0') return false;
        unescaped.push_back(c);
    }
    text = std::string_view(unescaped).substr(begin);
    return true;
}

inline Token QuickReader::State::pass_literal(Token at, std::string_view word) const noexcept {
    const char* const text = text_at(at);
    const bool is_it =
        std::memcmp(text, word.data(), word.size()) == 0 && may_follow_value(text[word.size()]);
    return is_it && at != last ? at + 1 : nullptr;
}

Token QuickReader::State::take_scalar(Token at, FieldValue& value) {
    switch (first_of(at)) {
        case '"':
            value.kind = Kind::string;
            return take_text(at, value.text);
        case 'n':
            value.kind = Kind::null;
            return pass_literal(at, "null");
        case 't':
            value.kind = Kind::boolean;
            value.boolean = true;
            return pass_literal(at, "true");
        case 'f':
            value.kind = Kind::boolean;
            value.boolean = false;
            return pass_literal(at, "false");
        default:
            return at != last && read_plain_number(text_at(at), value) ? at + 1 : nullptr;
    }
}

Token QuickReader::State::take_wanted(Token at, FieldValue& value, std::size_t slot) {
    switch (first_of(at)) {
        case '{':
            value.kind = Kind::object;
            at = take_members(at, members[slot]);
            value.members = members[slot];
            return at;
        case '[':
            value.kind = Kind::array;
            return pass_array(at, 0);
        default:
            return take_scalar(at, value);
    }
}

Token QuickReader::State::take_members(Token at, std::vector<FieldMember>& list) {
    list.clear();
    at = take(at, '{');
    if (at != nullptr && first_of(at) == '}') return take(at, '}');
    while (at != nullptr) {
        FieldMember& member = list.emplace_back();
        at = take_text(at, member.name);
        if (at != nullptr) at = take(at, ':');
        if (at == nullptr) break;
        const char first = first_of(at);
        if (first == '{' || first == '[') {
            member.value.kind = first == '{' ? Kind::object : Kind::array;
            at = pass_value(at, 1);
        } else {
            at = take_scalar(at, member.value);
        }
        if (at != nullptr && first_of(at) == '}') return take(at, '}');
        if (at != nullptr) at = take(at, ',');
    }
    return nullptr;
}

Token QuickReader::State::pass_value(Token at, int depth) {
    switch (first_of(at)) {
        case '"': {
            std::string_view ignored;
            return take_text(at, ignored);
        }
        case '{':
            return pass_object(at, depth);
        case '[':
            return pass_array(at, depth);
        case 'n':
            return pass_literal(at, "null");
        case 't':
            return pass_literal(at, "true");
        case 'f':
            return pass_literal(at, "false");
        default:
            return at != last && is_plain_number(text_at(at)) ? at + 1 : nullptr;
    }
}

Token QuickReader::State::pass_object(Token at, int depth) {
    if (depth >= kMaxDepth) return nullptr;
    at = take(at, '{');
    if (at != nullptr && first_of(at) == '}') return take(at, '}');
    while (at != nullptr) {
        std::string_view ignored;
        at = take_text(at, ignored);
        if (at != nullptr) at = take(at, ':');
        if (at != nullptr) at = pass_value(at, depth + 1);
        if (at != nullptr && first_of(at) == '}') return take(at, '}');
        if (at != nullptr) at = take(at, ',');
    }
    return nullptr;
}

Token QuickReader::State::pass_array(Token at, int depth) {
    if (depth >= kMaxDepth) return nullptr;
    at = take(at, '[');
    if (at != nullptr && first_of(at) == ']') return take(at, ']');
    while (at != nullptr) {
        at = pass_value(at, depth + 1);
        if (at != nullptr && first_of(at) == ']') return take(at, ']');
        if (at != nullptr) at = take(at, ',');
    }
    return nullptr;
}

QuickReader::QuickReader(const NameTable& table) : state_(std::make_unique<State>(table)) {}
QuickReader::~QuickReader() = default;

bool QuickReader::read(std::string_view line, std::span<FieldValue> values) {
    return state_->read(line, values);
}

}  // namespace evalfleet::json
