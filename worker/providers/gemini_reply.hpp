#pragma once

#include "worker/providers/protocol.hpp"

/// The bodies of Gemini's generateContent. Pure.
namespace evalfleet::worker {

[[nodiscard]] Result<ModelReply> read_gemini_reply(const http::Headers& headers,
                                                   std::string_view body);

/// Chunks of the same shape. Nothing ends the stream but the connection, so that it is complete if
/// a finish reason, or a reason for blocking the prompt, was told.
[[nodiscard]] std::unique_ptr<StreamReader> read_gemini_stream(const http::Headers& headers);

}  // namespace evalfleet::worker
