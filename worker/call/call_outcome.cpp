#include "worker/call/call_outcome.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace evalfleet::worker {

std::size_t answer_bytes(const CallOutcome& outcome) {
    return outcome.reply ? outcome.reply->answer.size() : 0;
}

void add_usage(const Usage& more, Usage& sum) {
    constexpr std::array kCounts{&Usage::input_tokens, &Usage::output_tokens,
                                 &Usage::cache_read_tokens, &Usage::cache_write_tokens,
                                 &Usage::reasoning_tokens};
    for (const auto count : kCounts) {
        if (more.*count) sum.*count = (sum.*count).value_or(0) + *(more.*count);
    }
}

double round_ms(std::chrono::nanoseconds duration) {
    return std::round(static_cast<double>(duration.count()) / 1e3) / 1e3;
}

namespace {

/// What comes is stamped by the kernel, what goes by us, a little late: a quick answer may seem to
/// be there before its request was sent.
double span_ms(async::TimePoint from, async::TimePoint to) {
    return round_ms(std::max(to - from, async::Duration(0)));
}

}  // namespace

void enter_timings(const http::Timings& timings, async::TimePoint dispatched, CallTiming& out) {
    out.e2e_ms = span_ms(dispatched, timings.last_byte);
    out.connect_ms = span_ms(timings.dispatched, timings.connected);
    out.first_byte_ms = span_ms(timings.request_written, timings.first_byte);
    out.response_ms = span_ms(timings.dispatched, timings.last_byte);
    if (timings.round_trip.count() > 0) out.round_trip_ms = round_ms(timings.round_trip);
    // What the server had the request for: the way there and the way back are no part of it.
    out.wire_ms = span_ms(timings.request_written + timings.round_trip, timings.last_byte);
}

async::Duration error_bound(const http::Timings& timings, async::Duration loop_lag) {
    // The stamp is of the wall clock; to relate it to ours takes two readings of clocks.
    constexpr std::chrono::microseconds kStampError{2};
    const auto sending = timings.request_written - std::max(timings.connected, timings.dispatched);
    const async::Duration arriving =
        timings.arrival_is_stamped ? async::Duration(kStampError) : loop_lag;
    return std::max(sending, async::Duration(0)) + arriving;
}

}  // namespace evalfleet::worker
