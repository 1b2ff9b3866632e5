#include "coordinator/report/word_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace evalfleet::report {

namespace {

using Kind = DiffPiece::Kind;
using Words = std::vector<std::string_view>;

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Words and the white space between them, which together are the text.
Words words_of(std::string_view text) {
    Words words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (end < text.size() && is_space(text[end]) == is_space(text[at]))
            ++end;
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

void append(std::vector<DiffPiece>& pieces, Kind kind, std::string_view text) {
    if (pieces.empty() || pieces.back().kind != kind) pieces.push_back({kind, ""});
    pieces.back().text += text;
}

void append(std::vector<DiffPiece>& pieces, Kind kind, std::span<const std::string_view> words) {
    for (const std::string_view word : words)
        append(pieces, kind, word);
}

// By the longest common subsequence.
void append_middle(std::vector<DiffPiece>& pieces, std::span<const std::string_view> a,
                   std::span<const std::string_view> b) {
    if (a.size() > kMostDiffWords || b.size() > kMostDiffWords) {
        append(pieces, Kind::gone, a);
        append(pieces, Kind::added, b);
        return;
    }
    const std::size_t width = b.size() + 1;
    std::vector<std::uint16_t> lengths((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            lengths[i * width + j] =
                a[i] == b[j] ? static_cast<std::uint16_t>(lengths[(i + 1) * width + j + 1] + 1)
                             : std::max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
        }
    }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (a[i] == b[j]) {
            append(pieces, Kind::same, a[i]);
            ++i;
            ++j;
        } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
            append(pieces, Kind::gone, a[i++]);
        } else {
            append(pieces, Kind::added, b[j++]);
        }
    }
    append(pieces, Kind::gone, a.subspan(i));
    append(pieces, Kind::added, b.subspan(j));
}

}  // namespace

std::vector<DiffPiece> word_diff(std::string_view before, std::string_view after) {
    const Words a = words_of(before);
    const Words b = words_of(after);
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0;
    while (head < shorter && a[head] == b[head])
        ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::vector<DiffPiece> pieces;
    append(pieces, Kind::same, std::span(a).first(head));
    append_middle(pieces, std::span(a).subspan(head, a.size() - head - tail),
                  std::span(b).subspan(head, b.size() - head - tail));
    append(pieces, Kind::same, std::span(a).last(tail));
    return pieces;
}

}  // namespace evalfleet::report
