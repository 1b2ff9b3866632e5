#pragma once

#include "worker/providers/protocol.hpp"

/// The bodies of OpenAI's Responses API. Pure.
namespace evalfleet::worker {

/// The text of all messages of the output, without the reasoning. A refusal is the answer, with
/// `refusal` as the finish reason.
[[nodiscard]] Result<ModelReply> read_responses_reply(const http::Headers& headers,
                                                      std::string_view body);

/// Events, of which `response.completed` or `response.incomplete` is the last.
[[nodiscard]] std::unique_ptr<StreamReader> read_responses_stream(const http::Headers& headers);

}  // namespace evalfleet::worker
