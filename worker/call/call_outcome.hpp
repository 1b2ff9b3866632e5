#pragma once

#include "common/job/vocabulary.hpp"
#include "worker/providers/protocol.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::worker {

/// Why a call has no reply.
struct CallFailure {
    job::CallError kind = job::CallError::connect;
    std::string message;     ///< for people; not redacted yet
    bool timed_out = false;  ///< time was what ran out
};

/// A call as it went over the wire, retries included; nothing of the reply was read yet.
struct RawCall {
    std::optional<http::Response> response;  ///< the last one, whatever its status
    std::optional<CallFailure> failure;      ///< set unless the status is 2xx
    std::optional<std::string> request_id;   ///< of a refusal
    std::int64_t attempts = 0;
    double latency_ms = 0;  ///< first dispatch to last byte, or until it was given up
    std::chrono::system_clock::time_point started{};
};

/// A call and what the model said.
struct CallOutcome {
    std::optional<ModelReply> reply;  ///< set if the body made sense, even with an empty answer
    std::optional<CallFailure> failure;
    std::optional<std::string> request_id;
    std::int64_t attempts = 0;
    std::optional<std::int64_t> http_status;
    double latency_ms = 0;
    std::chrono::system_clock::time_point started{};
};

/// What the provider of `protocol` said in a call. Pure; may be heavy for long bodies, so not for
/// I/O threads.
[[nodiscard]] CallOutcome interpret(const Protocol& protocol, const RawCall& call);

/// Milliseconds with three decimals.
[[nodiscard]] double round_ms(std::chrono::nanoseconds duration);

}  // namespace evalfleet::worker
