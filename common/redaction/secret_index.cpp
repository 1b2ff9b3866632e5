#include "common/redaction/secret_index.hpp"

#include <algorithm>
#include <stdexcept>

namespace evalfleet::redaction {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint32_t kMatchBit = 0x80000000;
// 64 MiB of transitions: far beyond any operator's secrets, far below what would hurt a worker.
constexpr std::size_t kMaxCells = 16 * 1024 * 1024;

}  // namespace

SecretIndex::SecretIndex(std::span<const std::string> needles) {
    for (const std::string& needle : needles) {
        for (const char c : needle) {
            auto& byte_class = class_of_[static_cast<unsigned char>(c)];
            if (byte_class == 0) byte_class = static_cast<std::uint16_t>(classes_++);
        }
    }
    add_state();
    for (const std::string& needle : needles)
        insert(needle);
    link();
    pack();
}

SecretIndex::State SecretIndex::add_state() {
    if ((states_ + 1) * classes_ > kMaxCells) throw std::length_error("too many known secrets");
    next_.resize((states_ + 1) * classes_, kNone);
    matched_.push_back(0);
    return static_cast<State>(states_++);
}

void SecretIndex::insert(std::string_view needle) {
    State state = 0;
    for (const char c : needle) {
        const std::size_t byte_class = class_of_[static_cast<unsigned char>(c)];
        if (next(state, byte_class) == kNone) {
            const State fresh = add_state();
            next(state, byte_class) = fresh;
        }
        state = next(state, byte_class);
    }
    if (state != 0) matched_[state] = static_cast<std::uint32_t>(needle.size());
}

/// Completes the trie to an automaton, breadth first: where a state has no edge, it takes that of
/// the longest proper suffix of what was read.
void SecretIndex::link() {
    std::vector<State> suffix(states_, 0);
    std::vector<State> queue;
    for (std::size_t c = 0; c < classes_; ++c) {
        State& edge = next(0, c);
        if (edge == kNone) {
            edge = 0;
        } else {
            queue.push_back(edge);
        }
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const State state = queue[head];
        matched_[state] = std::max(matched_[state], matched_[suffix[state]]);
        for (std::size_t c = 0; c < classes_; ++c) {
            State& edge = next(state, c);
            const State fallback = next(suffix[state], c);
            if (edge == kNone) {
                edge = fallback;
            } else {
                suffix[edge] = fallback;
                queue.push_back(edge);
            }
        }
    }
}

/// Turns each transition into the offset of the next state's row, with a bit that tells whether a
/// needle ends there: one load a byte instead of a multiplication and two.
void SecretIndex::pack() {
    for (State& edge : next_) {
        const std::uint32_t match = matched_[edge] != 0 ? kMatchBit : 0;
        edge = static_cast<State>(edge * classes_) | match;
    }
    for (std::size_t byte = 0; byte < starts_.size(); ++byte) {
        starts_[byte] = next_[class_of_[byte]] != 0;
    }
}

std::vector<SecretIndex::Span> SecretIndex::find(std::string_view text) const {
    std::vector<Span> spans;
    std::uint32_t row = 0;
    std::size_t end = 0;
    // Rows and classes are within it since `pack`; a check for each byte costs a fifth.
    const State* const edges = next_.data();
    for (const char c : text) {
        ++end;
        const auto byte = static_cast<unsigned char>(c);
        if (row == 0 && !starts_[byte]) continue;
        const std::uint32_t edge = edges[row + class_of_[byte]];
        row = edge & ~kMatchBit;
        if ((edge & kMatchBit) == 0) continue;
        Span span{end - matched_[row / classes_], end};
        while (!spans.empty() && spans.back().end > span.begin) {
            span.begin = std::min(span.begin, spans.back().begin);
            spans.pop_back();
        }
        spans.push_back(span);
    }
    return spans;
}

}  // namespace evalfleet::redaction
