#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// Judges answer in JSON that must be taken exactly as RFC 8259 has it, duplicated keys, number
/// spelling and nesting included: what a tree parser has already forgotten or refuses to read. The
/// scanner walks one text token by token, in linear time and constant memory.
///
///     JsonScanner scanner(text);
///     while (true) switch (scanner.next()) { ... }
///
/// Stricter than the grammar in one way, as SEMANTICS 3 has it: at most kMaxDepth levels of
/// nesting. The text must be UTF-8 without a byte order mark; an escape that is half a surrogate
/// pair is malformed.
class JsonScanner {
  public:
    static constexpr std::size_t kMaxDepth = 256;

    enum class Token {
        begin_object,
        end_object,
        begin_array,
        end_array,
        key,
        string,
        number,
        boolean,
        null,
        end,        ///< the text was one value and nothing else
        malformed,  ///< it is not JSON; every later call says the same
        too_deep,   ///< nesting beyond kMaxDepth; every later call says the same
    };

    /// `text` must outlive the scanner.
    explicit JsonScanner(std::string_view text) noexcept : text_(text) {}

    Token next();

    /// The last token as written; of a key or a string, what is between the quotes.
    [[nodiscard]] std::string_view raw() const noexcept { return raw_; }

    /// The last key or string with its escapes resolved.
    [[nodiscard]] std::string unescaped() const;

    /// How many objects and arrays are open after the last token.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

    /// Where the last token ends, or where the text stopped being JSON.
    [[nodiscard]] std::size_t offset() const noexcept { return at_; }

  private:
    /// What may come next. `first_*` also allow the container to be empty.
    enum class Expect { value, first_element, first_key, key, colon, comma_or_close, nothing };

    Token scan_value();
    Token scan_key();
    Token open(bool object);
    Token close(char bracket);
    Token scalar(Token token);
    Token fail(Token token = Token::malformed);

    bool skip_string();
    bool skip_escape();
    bool skip_number();
    bool skip_digits();
    bool skip_literal(std::string_view literal);
    void skip_white_space();

    [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] bool in_object() const { return objects_[depth_ - 1]; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string_view raw_;
    std::size_t depth_ = 0;
    std::bitset<kMaxDepth> objects_;  ///< bit i: level i+1 is an object, not an array
    Expect expect_ = Expect::value;
    Token failure_ = Token::end;  ///< malformed or too_deep once the text has failed
};

/// True if `text` is one JSON value with nothing but white space around it.
[[nodiscard]] bool is_json(std::string_view text);

}  // namespace evalfleet::scoring
