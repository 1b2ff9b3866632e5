#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// What a model is asked, in no provider's terms.
struct ChatRequest {
    std::string model;
    std::string prompt;             ///< the last message of the user
    std::uint64_t key = 0;          ///< of model and all messages: equal requests have equal keys
    std::uint64_t input_bytes = 0;  ///< of all messages, a picture as its tokens' worth
    std::string prefill;            ///< how the answer begins, where the protocol lets one say so
    std::optional<std::int64_t> max_tokens;
    bool stream = false;
    bool wants_json = false;          ///< the protocol's JSON mode
    bool wants_stream_usage = false;  ///< OpenAI's `stream_options.include_usage`
    bool wants_padding = true;        ///< OpenAI's `stream_options.include_obfuscation`
    bool wants_array = false;         ///< Gemini: a stream as one JSON array instead of events

    ChatRequest() = default;
    explicit ChatRequest(std::string model_name);

    /// Takes the next message in.
    void add(std::string_view role, std::string text);

    std::string last_role{};  ///< of the message that was added last
    std::string last_text{};
};

/// The text of a message: a string, or a list of parts of which the texts count. A picture, in any
/// protocol's shape, stands in it as in the texts of samples; one that is no base64, no picture or
/// not of the type that is said is an error.
[[nodiscard]] Result<std::string> read_message_text(json::Value content);

using Roles = std::span<const std::string_view>;
inline constexpr std::array<std::string_view, 2> kTwoSides{"user", "assistant"};

/// Reads `messages` as OpenAI, Anthropic and Ollama have them: objects with `role`, one of `roles`,
/// and `content`, at least one.
[[nodiscard]] Status read_messages(json::Value body, ChatRequest& request, Roles roles);

/// Takes a last turn of the assistant as the beginning of the answer.
void take_prefill(ChatRequest& request);

}  // namespace evalfleet::simulator
