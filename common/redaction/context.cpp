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
