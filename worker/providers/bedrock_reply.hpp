#pragma once

#include "worker/providers/protocol.hpp"

/// The bodies of Bedrock's Converse. Pure.
namespace evalfleet::worker {

[[nodiscard]] Result<ModelReply> read_bedrock_reply(const http::Headers& headers,
                                                    std::string_view body);

/// Frames (common/aws/event_stream.hpp); whole once `messageStop` came.
[[nodiscard]] std::unique_ptr<StreamReader> read_bedrock_stream(const http::Headers& headers);

/// What kind of error it is stands in `x-amzn-errortype`, or in the body's `__type`.
[[nodiscard]] Refusal read_bedrock_refusal(int status, const http::Headers& headers,
                                           std::string_view body,
                                           std::chrono::system_clock::time_point now);

}  // namespace evalfleet::worker
