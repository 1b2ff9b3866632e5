#include "common/redaction/numbers.hpp"

#include "common/redaction/hex.hpp"

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMaxGroup = 20;  // longer digit runs are no identifier of a person
constexpr std::size_t kMaxSeparator = 3;
constexpr std::size_t kEnoughDigits = 19;  // no number we know has more

bool is_separator(char c) {
    return c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '/';
}

bool joins_numbers(char c) {
    return c == '.' || c == ',' || c == '/' || c == ':';
}

/// A word such as "user" in user-4111111111111111. Hex digits would be a part of an id.
class WordCheck {
  public:
    /// False once the word is over.
    bool take(char c) {
        if (!is_letter(c)) return false;
        ++letters_;
        beyond_hex_ = beyond_hex_ || to_lower(c) > 'f';
        return letters_ < kMax;
    }
    [[nodiscard]] bool is_word(char next) const {
        return letters_ >= 2 && beyond_hex_ && !is_digit(next);
    }

  private:
    static constexpr std::size_t kMax = 12;
    std::size_t letters_ = 0;
    bool beyond_hex_ = false;
};

bool follows_word(const Scan& scan, std::size_t i) {
    WordCheck word;
    std::size_t back = 1;
    while (word.take(scan.before(i, back)))
        ++back;
    return word.is_word(scan.before(i, back));
}

bool is_before_word(const Scan& scan, std::size_t i) {
    WordCheck word;
    while (word.take(scan.at(i)))
        ++i;
    return word.is_word(scan.at(i));
}

/// What stands between the fields of a table, and what a comma within a number looks like: `1,234`
/// and `1,234.5`, but not `7,4111111111111111`, `7,078-05-1120` or `7,10.1.2.3`.
bool comma_joins_next(const Scan& scan, std::size_t i) {
    constexpr std::size_t kThousands = 3;
    std::size_t end = i;
    while (end < i + kThousands + 1 && is_digit(scan.at(end)))
        ++end;
    if (end - i > kThousands) return false;
    if (scan.at(end) == '-') return !is_digit(scan.at(end + 1));
    if (scan.at(end) != '.') return true;
    do
        ++end;
    while (is_digit(scan.at(end)) && end < i + 2 * kThousands + 2);
    return scan.at(end) != '.' || !is_digit(scan.at(end + 1));
}

/// The same behind a number that ends at `i`: `4111111111111111,3`, `078-05-1120,3`, `10.1.2.3,4`.
bool comma_joins_previous(const Scan& scan, std::size_t i) {
    constexpr std::size_t kThousands = 3;
    std::size_t size = 0;
    while (size <= kThousands && is_digit(scan.before(i, size + 1)))
        ++size;
    if (size > kThousands) return false;
    const char c = scan.before(i, size + 1);
    return !((c == '-' || c == '.') && is_digit(scan.before(i, size + 2)));
}

}  // namespace

std::string DigitGroups::digits(const Scan& scan, std::size_t n) const {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) {
        all += scan.text().substr(groups[i].begin, groups[i].size());
    }
    return all;
}

std::size_t DigitGroups::digit_count(std::size_t n) const noexcept {
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i)
        total += groups[i].size();
    return total;
}

bool DigitGroups::separated_by(std::string_view allowed, std::size_t n) const noexcept {
    for (std::size_t i = 1; i < n; ++i) {
        const std::string_view separator = groups[i].separator;
        if (separator.size() != 1 || separator != groups[1].separator) return false;
        if (allowed.find(separator[0]) == std::string_view::npos) return false;
    }
    return true;
}

bool DigitGroups::shaped(std::initializer_list<std::size_t> sizes) const noexcept {
    if (count < sizes.size()) return false;
    std::size_t i = 0;
    for (const std::size_t size : sizes) {
        if (groups[i++].size() != size) return false;
    }
    return true;
}

DigitGroups collect_digit_groups(Scan& scan, std::size_t i) {
    DigitGroups found;
    std::size_t separator_begin = i;
    std::size_t digits = 0;
    while (found.count < found.groups.size() && digits < kEnoughDigits) {
        const std::size_t end = scan.run(i, kMaxGroup, is_digit);
        if (end == i || end - i == kMaxGroup) break;
        found.groups[found.count++] = {i, end,
                                       scan.text().substr(separator_begin, i - separator_begin)};
        separator_begin = end;
        digits += found.groups[found.count - 1].size();
        i = scan.run(end, kMaxSeparator, is_separator);
        if (i == end) break;
    }
    return found;
}

bool is_in_hex_row(const Scan& scan, const DigitGroups& groups, std::size_t n) noexcept {
    constexpr std::size_t kSize = 4;
    // The four bytes from `i` on are hex digits, with a letter among them, and end there.
    const auto is_code = [&](std::size_t i) {
        bool has_letter = false;
        for (std::size_t at = i; at < i + kSize; ++at) {
            if (hex_value(scan.at(at)) < 0) return false;
            has_letter = has_letter || is_letter(scan.at(at));
        }
        return has_letter && !is_alnum(scan.at(i + kSize)) && !is_alnum(scan.before(i));
    };
    const std::size_t begin = groups.begin();
    const std::size_t end = groups[n - 1].end;
    if (scan.at(end) == ' ' && is_code(end + 1)) return true;
    return scan.before(begin) == ' ' && begin > kSize && is_code(begin - 1 - kSize);
}

bool is_in_row(const Scan& scan, const DigitGroups& groups, std::size_t n) noexcept {
    if (n < 2 || !groups.separated_by(" ", n)) return false;
    const std::size_t begin = groups.begin();
    if (is_in_hex_row(scan, groups, n)) return true;
    if (scan.before(begin) == ' ' && is_digit(scan.before(begin, 2))) return true;
    const std::size_t end = groups[n - 1].end;
    return scan.at(end) == ' ' && is_digit(scan.at(end + 1));
}

bool is_number_start(const Scan& scan, std::size_t i) noexcept {
    const char c = scan.before(i);
    if (is_alnum(c) || (c == '#' && scan.before(i, 2) == '&')) return false;
    if (c == '-' || c == '_')
        return !is_alnum(scan.before(i, 2)) ? c == '-' : follows_word(scan, i - 1);
    if (!joins_numbers(c) || !is_digit(scan.before(i, 2))) return true;
    return c == ',' && !comma_joins_next(scan, i);
}

bool is_number_end(const Scan& scan, std::size_t i) noexcept {
    const char c = scan.at(i);
    if (is_alnum(c) || c == '@') return false;
    if (c == '-' || c == '_')
        return !is_alnum(scan.at(i + 1)) ? c == '-' : is_before_word(scan, i + 1);
    if (!joins_numbers(c) || !is_digit(scan.at(i + 1))) return true;
    return c == ',' && !comma_joins_previous(scan, i);
}

}  // namespace evalfleet::redaction
