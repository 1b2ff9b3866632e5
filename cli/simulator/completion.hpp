#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::simulator {

/// Tokens as a provider bills them.
struct TokenCounts {
    std::uint64_t prompt = 0;  ///< the cached ones included
    std::uint64_t output = 0;  ///< of the answer, without the reasoning before it
    std::uint64_t reasoning = 0;
    std::uint64_t cache_read = 0;   ///< of the prompt, found in the provider's cache
    std::uint64_t cache_write = 0;  ///< of the prompt, put there

    [[nodiscard]] std::uint64_t total() const noexcept { return prompt + output + reasoning; }
    bool operator==(const TokenCounts&) const = default;
};

/// What a model answered, in no provider's terms. Each protocol has its own words for it.
struct Completion {
    std::uint64_t id = 0;
    std::string model;  ///< as asked for; replies say that it is simulated
    std::string content;

    /// `stop`, `length`, `refusal` (the model declined: `content` says so), `content_filter`, or
    /// `prompt_blocked`. Anything else is passed on as it is.
    std::string finish_reason = "stop";

    TokenCounts tokens;
    bool has_usage = true;
    bool counts_reasoning_apart = false;  ///< only the total of a reply's tokens has it
    bool wants_stream_usage = false;      ///< these three as in ChatRequest
    bool wants_padding = true;
    bool wants_array = false;

    [[nodiscard]] bool is_refusal() const { return finish_reason == "refusal"; }
    [[nodiscard]] bool is_filtered() const { return finish_reason == "content_filter"; }
    [[nodiscard]] bool is_blocked() const { return finish_reason == "prompt_blocked"; }
};

/// When a simulated model was made and its answers were given: equal requests get equal bytes.
inline constexpr std::int64_t kCreated = 1'700'000'000;
inline constexpr std::string_view kCreatedText = "2023-11-14T22:13:20Z";

/// The name in every reply, so that no simulated result can pass for a real one.
[[nodiscard]] std::string simulated_name(std::string_view model);

/// Cuts an answer into the pieces in which it is streamed: words, at most `max_pieces` in all,
/// never inside a character. Joined they are the text; an empty text has none.
[[nodiscard]] std::vector<std::string_view> cut_into_pieces(std::string_view text,
                                                            std::size_t max_pieces = 64);

}  // namespace evalfleet::simulator
