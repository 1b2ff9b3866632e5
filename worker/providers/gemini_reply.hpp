#pragma once

#include "common/json/value.hpp"
#include "worker/providers/protocol.hpp"

/// The bodies of Gemini's generateContent. Pure.
namespace evalfleet::worker {

[[nodiscard]] Result<ModelReply> read_gemini_reply(const http::Headers& headers,
                                                   std::string_view body);

/// Chunks of the same shape. Nothing ends the stream but the connection, so that it is complete if
/// a finish reason, or a reason for blocking the prompt, was told.
[[nodiscard]] std::unique_ptr<StreamReader> read_gemini_stream(const http::Headers& headers);

/// When to come back after an error, and whether at all, stands in its details. `root`: of the
/// body, or of the chunk of a stream, that has the error. Enters what `refusal` does not know yet.
void read_gemini_details(json::Value root, Refusal& refusal);

}  // namespace evalfleet::worker
