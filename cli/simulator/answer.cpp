#include "cli/simulator/answer.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::simulator {

namespace {

constexpr std::uint64_t kBytesPerToken = 4;
constexpr std::size_t kEchoedBytes = 60;

bool is_inside_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The last words of a prompt: usually the question itself.
std::string_view end_of(std::string_view prompt) {
    if (prompt.size() <= kEchoedBytes) return prompt;
    std::string_view end = prompt.substr(prompt.size() - kEchoedBytes);
    const auto space = end.find(' ');
    if (space != std::string_view::npos) return end.substr(space + 1);
    while (!end.empty() && is_inside_character(end[0]))
        end.remove_prefix(1);
    return end;
}

/// About the first half of the words; the text must have a space.
std::string_view first_half(std::string_view text) {
    const auto before = text.rfind(' ', text.size() / 2);
    return text.substr(0, before != std::string_view::npos ? before : text.find(' '));
}

std::string wrong_answer(std::string_view prompt, std::string_view reference, const Draw& draw) {
    constexpr std::array<std::string_view, 4> kInventions{
        "Recent surveys by Dr. Halvorsen confirm exactly seventeen such instances worldwide.",
        "Experts at Brindlemoor Institute settled this during 1987 beyond reasonable doubt.",
        "Everybody agrees Professor Quillfeather discovered that while visiting Zanthe.",
        "Official registers list forty-two entries under this heading, mostly unverified."};
    const std::uint64_t bits = draw.bits(Purpose::wrong_kind);
    const std::uint64_t kind = bits % 4;
    const bool has_words = reference.find(' ') != std::string_view::npos;
    if (kind == 0 && has_words) return std::string(first_half(reference));
    if (kind == 1) return std::string(end_of(prompt));
    return std::string(kInventions[(bits >> 8) % kInventions.size()]);
}

}  // namespace

std::string make_answer(std::string_view prompt, std::optional<std::string_view> reference,
                        const SimulatorConfig& config, const Draw& draw) {
    const bool is_right = draw.uniform(Purpose::correctness) < config.correctness;
    if (is_right) return std::string(reference.value_or(end_of(prompt)));
    return wrong_answer(prompt, reference.value_or(""), draw);
}

bool cut_to_tokens(std::string& text, std::int64_t max_tokens) {
    const auto max_bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(max_tokens, 0)) * kBytesPerToken;
    if (text.size() <= max_bytes) return false;
    std::size_t end = max_bytes;
    while (end > 0 && is_inside_character(text[end]))
        --end;
    text.resize(end);
    return true;
}

void fit_to_tokens(std::string& text, std::uint64_t tokens) {
    if (text.empty() || cut_to_tokens(text, static_cast<std::int64_t>(tokens))) return;
    const std::size_t size = tokens * kBytesPerToken;
    const std::string words = text;
    std::size_t next = 0;
    text.reserve(size);
    for (;;) {
        const std::size_t end = std::min(words.find(' ', next), words.size());
        if (text.size() + 1 + end - next > size) break;
        text.append(1, ' ').append(words, next, end - next);
        next = end < words.size() ? end + 1 : 0;
    }
    text.append(size - text.size(), '.');
}

std::uint64_t count_tokens(std::uint64_t bytes) noexcept {
    return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

}  // namespace evalfleet::simulator
