#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::simulator {

/// What a provider gets to see of an OpenAI chat completion request.
struct ChatRequest {
    std::string model;
    std::string prompt;             ///< the last user message
    std::uint64_t key = 0;          ///< of model and all messages: equal requests have equal keys
    std::uint64_t input_bytes = 0;  ///< of all messages
    std::optional<std::int64_t> max_tokens;
    bool stream = false;
};

/// Errors (`invalid`) say what OpenAI would refuse.
[[nodiscard]] Result<ChatRequest> read_chat_request(json::Value body);

}  // namespace evalfleet::simulator
