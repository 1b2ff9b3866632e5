#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// What a model is asked, in no provider's terms.
struct ChatRequest {
    std::string model;
    std::string prompt;             ///< the last message of the user
    std::uint64_t key = 0;          ///< of model and all messages: equal requests have equal keys
    std::uint64_t input_bytes = 0;  ///< of all messages
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
};

/// The text of a message: a string, or a list of parts of which the texts count.
[[nodiscard]] Result<std::string> read_message_text(json::Value content);

/// Reads `messages` as OpenAI, Anthropic and Ollama have them: objects with `role` and `content`,
/// at least one.
[[nodiscard]] Status read_messages(json::Value body, ChatRequest& request);

}  // namespace evalfleet::simulator
