#pragma once

#include "worker/providers/protocol.hpp"

/// The bodies of Anthropic's messages. Pure.
namespace evalfleet::worker {

[[nodiscard]] Result<ModelReply> read_anthropic_reply(const http::Headers& headers,
                                                      std::string_view body);

/// `message_start` to `message_stop`. The counts of later events replace those of earlier ones.
[[nodiscard]] std::unique_ptr<StreamReader> read_anthropic_stream(const http::Headers& headers);

}  // namespace evalfleet::worker
