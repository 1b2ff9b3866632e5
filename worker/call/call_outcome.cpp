#include "worker/call/call_outcome.hpp"

#include <cmath>

namespace evalfleet::worker {

namespace {

CallFailure malformed(const Error& error) {
    return {job::CallError::malformed_response, error.message, false};
}

}  // namespace

double round_ms(std::chrono::nanoseconds duration) {
    return std::round(static_cast<double>(duration.count()) / 1e3) / 1e3;
}

CallOutcome interpret(const Protocol& protocol, const RawCall& call) {
    CallOutcome outcome;
    outcome.failure = call.failure;
    outcome.request_id = call.request_id;
    outcome.attempts = call.attempts;
    outcome.latency_ms = call.latency_ms;
    outcome.started = call.started;
    if (!call.response) return outcome;
    outcome.http_status = call.response->status;
    if (call.failure) return outcome;

    auto reply = protocol.read_reply(call.response->headers, call.response->body);
    if (!reply) {
        outcome.failure = malformed(reply.error());
        return outcome;
    }
    outcome.request_id = reply->request_id;
    if (reply->answer.empty()) {
        outcome.failure = {job::CallError::empty_response, "the answer has no text", false};
    }
    outcome.reply = *std::move(reply);
    return outcome;
}

}  // namespace evalfleet::worker
