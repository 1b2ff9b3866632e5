#include "tests/fuzz/mutator.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace evalfleet::fuzz {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxInputBytes = 4096;
constexpr std::size_t kMaxChanges = 6;

/// Pieces that random bytes would hardly ever hit.
constexpr std::array kPieces{"{"sv,
                             "}"sv,
                             "["sv,
                             "]"sv,
                             ","sv,
                             ":"sv,
                             "\""sv,
                             "\\"sv,
                             "{{"sv,
                             "}}"sv,
                             "{{task}}"sv,
                             "0"sv,
                             "1"sv,
                             "2"sv,
                             "-0"sv,
                             "2.0"sv,
                             "1e999"sv,
                             "18446744073709551616"sv,
                             "null"sv,
                             "true"sv,
                             "\\u0000"sv,
                             "\\ud83d\\ude00"sv,
                             "\\ud800"sv,
                             "\\udc00"sv,
                             "\xEF\xBB\xBF"sv,
                             "\xC2\xA0"sv,
                             "\xE2\x80\xA8"sv,
                             "\xF0\x9F\x98\x80"sv,
                             "\xED\xA0\x80"sv,
                             "\xFF"sv,
                             "\0"sv,
                             "\n"sv,
                             "\x1F"sv,
                             " "sv,
                             "\"accuracy_score\":"sv,
                             "\"rationale\":"sv,
                             "\"failure_label\":"sv,
                             "\"sample_index\":"sv,
                             "\"repeat\":"sv,
                             "\"tags\":{"sv,
                             "\"timed_out\":true"sv};

}  // namespace

Mutator::Mutator(std::vector<std::string> corpus, std::uint64_t seed)
    : corpus_(std::move(corpus)), random_(seed) {
    if (corpus_.empty()) corpus_.emplace_back();
}

std::string Mutator::next() {
    std::string text = corpus_[below(corpus_.size())];
    const std::size_t changes = below(kMaxChanges);
    for (std::size_t i = 0; i < changes; ++i)
        mutate(text);
    text.resize(std::min(text.size(), kMaxInputBytes));
    return text;
}

void Mutator::mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 32) + 1);
    switch (below(7)) {
        case 0:
            text.insert(at, 1, static_cast<char>(below(256)));
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
            break;
        case 3:
            text.insert(at, kPieces[below(kPieces.size())]);
            break;
        case 4:
            text.insert(below(text.size() + 1), text.substr(at, length));
            break;
        case 5: {
            const std::string& other = corpus_[below(corpus_.size())];
            text = text.substr(0, at) + other.substr(below(other.size() + 1));
            break;
        }
        default:
            text.insert(at, std::string(below(300), "[{\" "[below(4)]));
    }
}

std::size_t Mutator::below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
}

}  // namespace evalfleet::fuzz
