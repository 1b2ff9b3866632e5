#pragma once

#include "common/redaction/kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evalfleet::redaction {

/// A piece of text to be replaced.
struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    Kind kind = Kind::secret;
};

using Found = std::optional<Match>;

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_upper(char c) noexcept {
    return c >= 'A' && c <= 'Z';
}
[[nodiscard]] constexpr bool is_lower(char c) noexcept {
    return c >= 'a' && c <= 'z';
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return is_upper(c) || is_lower(c);
}
[[nodiscard]] constexpr bool is_alnum(char c) noexcept {
    return is_letter(c) || is_digit(c);
}
[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return is_upper(c) ? static_cast<char>(c + 32) : c;
}
/// Base64url and the usual alphabet of keys.
[[nodiscard]] constexpr bool is_key_char(char c) noexcept {
    return is_alnum(c) || c == '_' || c == '-';
}
/// RFC 6750's token characters.
[[nodiscard]] constexpr bool is_token_char(char c) noexcept {
    return is_key_char(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

/// One pass over one text, shared by the scanners. `floor` is the end of what was replaced last:
/// a scanner never looks behind it, and it counts as the beginning of the text, just as the closing
/// bracket does that will stand there.
///
/// Every loop of a scanner goes through `run`, which is bounded and counts its steps; that is how
/// the tests see that the work grows with the text and not faster.
class Scan {
  public:
    explicit Scan(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }

    /// The byte at `i`; '\0' outside the text or before the floor.
    [[nodiscard]] char at(std::size_t i) const noexcept {
        return i >= floor && i < text_.size() ? text_[i] : '\0';
    }
    [[nodiscard]] char before(std::size_t i, std::size_t back = 1) const noexcept {
        return i >= floor + back ? text_[i - back] : '\0';
    }
    /// True if `literal` stands right before `i`.
    [[nodiscard]] bool ends_with(std::size_t i, std::string_view literal) const noexcept {
        return i >= floor + literal.size() &&
               text_.substr(i - literal.size(), literal.size()) == literal;
    }
    [[nodiscard]] bool starts_with(std::size_t i, std::string_view literal) const noexcept {
        return i <= text_.size() && text_.substr(i).starts_with(literal);
    }

    /// The end of the run of bytes from `i` that satisfy `wanted`, at most `max` of them.
    template <class Wanted>
    [[nodiscard]] std::size_t run(std::size_t i, std::size_t max, Wanted wanted) noexcept {
        const std::size_t limit = max < text_.size() - i ? i + max : text_.size();
        const std::size_t begin = i;
        while (i < limit && wanted(text_[i]))
            ++i;
        steps += i - begin + 1;
        return i;
    }
    /// The begin of the run of bytes that ends before `i`, at most `max` of them.
    template <class Wanted>
    [[nodiscard]] std::size_t run_back(std::size_t i, std::size_t max, Wanted wanted) noexcept {
        const std::size_t limit = i - floor > max ? i - max : floor;
        const std::size_t end = i;
        while (i > limit && wanted(text_[i - 1]))
            --i;
        steps += end - i + 1;
        return i;
    }

    std::size_t floor = 0;
    std::uint64_t steps = 0;
    std::size_t pem_end_missing_until = 0;  ///< no PEM end marker starts before this offset
    std::size_t jwt_missing_until = 0;      ///< no JWT begins before this offset

  private:
    std::string_view text_;
};

}  // namespace evalfleet::redaction
