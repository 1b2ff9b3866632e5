#include "worker/call/lag_meter.hpp"

#include "worker/call/call_outcome.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

async::TimePoint at(milliseconds since) {
    return async::TimePoint(std::chrono::hours(5)) + since;
}

TEST(LagEstimator, KnowsTheWorstAroundAMoment) {
    LagEstimator lag;
    lag.note(at(milliseconds(10)), at(milliseconds(11)));
    lag.note(at(milliseconds(20)), at(milliseconds(24)));
    lag.note(at(milliseconds(400)), at(milliseconds(402)));
    EXPECT_EQ(lag.worst_around(at(milliseconds(30))), milliseconds(4));
    EXPECT_EQ(lag.worst_around(at(milliseconds(410))), milliseconds(2));
    EXPECT_EQ(lag.worst_around(at(milliseconds(200))), milliseconds(0));
}

TEST(LagEstimator, ChargesEverySliceThatWasSleptThrough) {
    LagEstimator lag;
    lag.note(at(milliseconds(0)), at(milliseconds(1000)));
    for (const int moment : {0, 300, 700, 1000}) {
        EXPECT_EQ(lag.worst_around(at(milliseconds(moment))), milliseconds(1000)) << moment;
    }
}

TEST(LagEstimator, ForgetsWhatIsLongAgo) {
    LagEstimator lag;
    lag.note(at(milliseconds(0)), at(milliseconds(40)));
    lag.note(at(milliseconds(6400)), at(milliseconds(6400)));  // the same place in the ring
    EXPECT_EQ(lag.worst_around(at(milliseconds(0))), milliseconds(0));
}

TEST(LagEstimator, SurvivesASleepOfHours) {
    LagEstimator lag;
    lag.note(at(milliseconds(0)), at(std::chrono::hours(3)));
    EXPECT_EQ(lag.worst_around(at(std::chrono::hours(3))), std::chrono::hours(3));
}

http::Timings timings(bool stamped) {
    http::Timings timings;
    timings.dispatched = at(milliseconds(0));
    timings.connected = at(milliseconds(3));
    timings.request_written = at(milliseconds(3)) + microseconds(40);
    timings.last_byte = at(milliseconds(90));
    timings.arrival_is_stamped = stamped;
    return timings;
}

TEST(ErrorBound, IsTheTimeOfSendingWhereTheKernelStampedTheArrival) {
    EXPECT_EQ(error_bound(timings(true), milliseconds(7)), microseconds(42));
}

TEST(ErrorBound, HasTheLoopsLagInItWhereNobodyStampedTheArrival) {
    EXPECT_EQ(error_bound(timings(false), milliseconds(7)), microseconds(7040));
}

}  // namespace
}  // namespace evalfleet::worker
