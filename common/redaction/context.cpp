#include "common/redaction/context.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kReach = 32;

bool is_whole_word(std::string_view text, std::size_t begin, std::size_t end) {
    return (begin == 0 || !is_letter(text[begin - 1])) &&
           (end == text.size() || !is_letter(text[end]));
}

bool holds(std::string_view text, const ContextWord& word) {
    for (std::size_t at = text.rfind(word.text); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : text.rfind(word.text, at - 1)) {
        if (!word.whole || is_whole_word(text, at, at + word.text.size())) return true;
    }
    return false;
}

}  // namespace

bool has_label(const Scan& scan, std::size_t i, std::span<const std::string_view> labels) {
    static constexpr std::string_view kFillers[] = {"no", "nr",   "num", "number", "is",  "now",
                                                    "to", "from", "of",  "the",    "was", "id"};
    constexpr int kMaxWords = 4;
    constexpr std::size_t kMaxGap = 4;
    for (int n = 0; n < kMaxWords; ++n) {
        std::size_t gap = 0;
        while (gap < kMaxGap && i > 0 && !is_alnum(scan.before(i)) && scan.before(i) != '\n') {
            --i;
            ++gap;
        }
        std::array<char, 16> buffer{};
        std::size_t begin = buffer.size();
        while (begin > 0 && is_letter(scan.before(i)))
            buffer[--begin] = to_lower(scan.before(i--));
        const std::string_view word(buffer.data() + begin, buffer.size() - begin);
        if (word.empty() || begin == 0) return false;
        if (std::find(labels.begin(), labels.end(), word) != labels.end()) return true;
        if (std::find(std::begin(kFillers), std::end(kFillers), word) == std::end(kFillers))
            return false;
    }
    return false;
}

bool has_context_behind(const Scan& scan, std::size_t i, std::span<const ContextWord> words) {
    if (scan.at(i) != ' ' || (scan.at(i + 1) != '(' && scan.at(i + 1) != 'i')) return false;
    std::array<char, kReach> buffer{};
    std::size_t size = 0;
    for (; size < kReach; ++size) {
        const char c = scan.at(i + size);
        if (c == '\0' || c == '\n' || c == '.' || c == ',' || is_digit(c)) break;
        buffer[size] = to_lower(c);
    }
    const std::string_view text(buffer.data(), size);
    return std::any_of(words.begin(), words.end(),
                       [&](const ContextWord& word) { return holds(text, word); });
}

bool has_context(const Scan& scan, std::size_t i, std::span<const ContextWord> words) {
    std::array<char, kReach> buffer{};
    std::size_t begin = buffer.size();
    for (std::size_t back = 1; back <= kReach; ++back) {
        const char c = scan.before(i, back);
        if (c == '\0' || c == '\n' || is_digit(c)) break;
        buffer[--begin] = to_lower(c);
    }
    const std::string_view text(buffer.data() + begin, buffer.size() - begin);
    const std::uint32_t letters = ContextWord::letters_of(text);
    return std::any_of(words.begin(), words.end(), [&](const ContextWord& word) {
        return (word.letters & ~letters) == 0 && holds(text, word);
    });
}

}  // namespace evalfleet::redaction
