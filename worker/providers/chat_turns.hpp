#pragma once

#include "worker/providers/protocol.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Chats for protocols that know two sides only: Anthropic, Gemini, Bedrock. Pure.
namespace evalfleet::worker {

/// Messages that are one turn of a side: a tool's message is the user's, and what several tools
/// give after one turn of the model belongs together.
struct Turn {
    bool is_assistant = false;
    std::vector<std::size_t> messages;  ///< their places in the request
};

/// The turns of a request, without instructions. Messages of one side are turns of their own unless
/// a tool's is among them.
[[nodiscard]] std::vector<Turn> turns_of(const ModelRequest& request);

/// All instructions as one text, an empty line between them.
[[nodiscard]] std::string join_instructions(const ModelRequest& request);

}  // namespace evalfleet::worker
