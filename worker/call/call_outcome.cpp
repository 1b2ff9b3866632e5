#include "worker/call/call_outcome.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

double round_ms(std::chrono::nanoseconds duration) {
    return std::round(static_cast<double>(duration.count()) / 1e3) / 1e3;
}

void enter_timings(const http::Timings& timings, async::TimePoint dispatched, bool streamed,
                   CallTiming& out) {
    out.e2e_ms = round_ms(timings.last_byte - dispatched);
    out.connect_ms = round_ms(timings.connected - timings.dispatched);
    out.first_byte_ms = round_ms(timings.first_byte - timings.request_written);
    out.response_ms = round_ms(timings.last_byte - timings.dispatched);
    // Whoever does not stream answers when everything is ready: its first byte is nearly its last,
    // and the best that can be said of the model is how long the server took.
    const auto begin = streamed ? timings.first_byte : timings.request_written;
    out.transfer_ms = round_ms(timings.last_byte - begin);
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
