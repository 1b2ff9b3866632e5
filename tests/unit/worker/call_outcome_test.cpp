#include "worker/call/call_outcome.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;

http::Timings timings() {
    const async::TimePoint begin{};
    http::Timings timings;
    timings.dispatched = begin + milliseconds(10);
    timings.connected = begin + milliseconds(12);
    timings.request_written = begin + milliseconds(13);
    timings.first_byte = begin + milliseconds(20);
    timings.last_byte = begin + milliseconds(35);
    return timings;
}

TEST(CallTiming, KeepsThePartsOfACallApart) {
    CallTiming timing;
    enter_timings(timings(), async::TimePoint{} + milliseconds(4), timing);
    EXPECT_EQ(timing.e2e_ms, 31);
    EXPECT_EQ(timing.connect_ms, 2);
    EXPECT_EQ(timing.first_byte_ms, 7);
    EXPECT_EQ(timing.response_ms, 25);
    EXPECT_EQ(timing.round_trip_ms, std::nullopt);
}

TEST(CallTiming, EstimatesTheModelsTimeFromTheWireWithTheTimeToTheFirstByte) {
    CallTiming timing;
    enter_timings(timings(), async::TimePoint{} + milliseconds(10), timing);
    EXPECT_EQ(timing.wire_ms, 22);  // from 13 to 35
    http::Timings far = timings();
    far.round_trip = std::chrono::microseconds(2500);
    enter_timings(far, async::TimePoint{} + milliseconds(10), timing);
    EXPECT_EQ(timing.round_trip_ms, 2.5);
    EXPECT_EQ(timing.wire_ms, 19.5);
    far.round_trip = milliseconds(23);
    enter_timings(far, async::TimePoint{} + milliseconds(10), timing);
    EXPECT_EQ(timing.wire_ms, 0);
}

TEST(CallTiming, IsTakenFromAMonotonicClock) {
    using Clock = decltype(http::Timings::last_byte)::clock;
    EXPECT_TRUE(Clock::is_steady);
    EXPECT_TRUE((std::is_same_v<decltype(http::Timings::dispatched)::clock, Clock>));
}

TEST(CallTiming, IsNeverNegativeWhereAnAnswerIsQuickerThanOurClock) {
    http::Timings quick = timings();
    quick.first_byte = quick.last_byte = quick.request_written - milliseconds(1);
    CallTiming timing;
    enter_timings(quick, quick.dispatched, timing);
    EXPECT_EQ(timing.first_byte_ms, 0);
    EXPECT_EQ(timing.wire_ms, 0);
    EXPECT_EQ(timing.e2e_ms, 2);
}

TEST(CallTiming, RoundsToThreeDecimals) {
    EXPECT_EQ(round_ms(std::chrono::nanoseconds(1'234'567)), 1.235);
    EXPECT_EQ(round_ms(std::chrono::nanoseconds(400)), 0.0);
}

}  // namespace
}  // namespace evalfleet::worker
