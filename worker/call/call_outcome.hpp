#pragma once

#include "common/job/vocabulary.hpp"
#include "worker/providers/protocol.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// Why a call has no usable answer.
struct CallFailure {
    job::CallError kind = job::CallError::connect;
    std::string message;     ///< for people; not redacted yet
    bool timed_out = false;  ///< time was what ran out
};

/// Where the time of a call went, in milliseconds with three decimals.
struct CallTiming {
    double e2e_ms = 0;  ///< first dispatch to last byte, or until it was given up
    double retry_wait_ms = 0;
    std::optional<double> permit_wait_ms;
    std::optional<double> connect_ms;      ///< of the last response, as the following
    std::optional<double> first_byte_ms;   ///< since the request was written
    std::optional<double> response_ms;     ///< dispatch to last byte
    std::optional<double> first_token_ms;  ///< since the first dispatch of the call
    std::optional<double> round_trip_ms;   ///< the shortest of the connection
    std::optional<double> wire_ms;         ///< request's to response's last byte, less a round trip
    std::optional<double> error_bound_ms;  ///< on e2e_ms
};

/// A call, retries included, and what the model said.
struct CallOutcome {
    std::optional<ModelReply> reply;  ///< set if the body made sense, even with an empty answer
    std::optional<CallFailure> failure;
    Usage usage;           ///< that the last attempt reported, with an answer or without
    Usage failed_usage{};  ///< that the attempts reported which failed and were made again
    std::optional<std::string> request_id;
    std::optional<std::string> finish_reason;
    std::int64_t attempts = 0;
    /// Of them: those that failed and were made again, by kind.
    std::map<std::string, std::int64_t, std::less<>> failed_attempts{};
    std::optional<std::int64_t> http_status;  ///< of the last attempt
    std::vector<std::string> refused_parameters;
    std::optional<std::chrono::milliseconds> retry_after;  ///< that the last refusal asked for
    async::TimePoint dispatched{};                         ///< the first attempt
    /// When this worker last got an answer of the same model: then its key and name were good.
    std::optional<async::TimePoint> last_answer{};
    CallTiming timing;
    std::chrono::system_clock::time_point started{};
};

/// How long the answer is; 0 if there is none.
[[nodiscard]] std::size_t answer_bytes(const CallOutcome& outcome);

/// Adds what an attempt or a call reported to a sum; what nobody reported stays empty.
void add_usage(const Usage& more, Usage& sum);

/// Milliseconds with three decimals.
[[nodiscard]] double round_ms(std::chrono::nanoseconds duration);

/// Enters what a response's own timestamps say. `dispatched`: when the call's first attempt was.
void enter_timings(const http::Timings& timings, async::TimePoint dispatched, CallTiming& out);

/// How far a response's latency may be from the truth. What was sent left between two moments that
/// we know; what came has the kernel's stamp, or was read as late as the event loop lagged then.
[[nodiscard]] async::Duration error_bound(const http::Timings& timings, async::Duration loop_lag);

}  // namespace evalfleet::worker
