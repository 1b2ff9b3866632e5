#include "worker/permits/limit_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evalfleet::worker {
namespace {

/// So many calls' worth of a change, that of one call being `deviation`.
ServiceChange change(double log_ratio, double weight, double deviation = 0.3) {
    return {log_ratio, deviation / std::sqrt(weight), weight};
}

TEST(LimitPair, FindsAQueueWhereCallsTakeLongerInProportion) {
    LimitPair pair{.low = 10, .high = 11};
    for (int i = 0; i < 5; ++i)
        pair.add(change(std::log(1.1), 200));
    EXPECT_TRUE(pair.shows_queue());
}

TEST(LimitPair, FindsThatCallsAreServedSideBySide) {
    LimitPair pair{.low = 10, .high = 11};
    for (int i = 0; i < 5; ++i)
        pair.add(change(0, 200));
    EXPECT_TRUE(pair.shows_side_by_side());
}

TEST(LimitPair, DecidesNothingByOneProbe) {
    LimitPair pair{.low = 1, .high = 2};
    pair.add(change(std::log(2), 1e6));
    EXPECT_TRUE(pair.is_open());
}

TEST(LimitPair, DecidesNothingByAFewCallsThatVary) {
    LimitPair pair{.low = 10, .high = 11};
    for (int i = 0; i < 5; ++i)
        pair.add(change(std::log(1.1), 5));
    EXPECT_TRUE(pair.is_open());
}

TEST(LimitPair, IsTurnedByAsMuchEvidenceToTheContrary) {
    LimitPair pair{.low = 10, .high = 11};
    for (int i = 0; i < 1'000; ++i)
        pair.add(change(0, 200));
    for (int i = 0; i < 8; ++i)
        pair.add(change(std::log(1.1), 200));
    EXPECT_TRUE(pair.shows_queue());
}

TEST(LimitPair, AsksForMoreCallsTheMoreTheyVary) {
    LimitPair steady{.low = 10, .high = 11};
    steady.add(change(0, 100, 0.1));
    LimitPair varying{.low = 10, .high = 11};
    varying.add(change(0, 100, 0.5));
    EXPECT_LT(steady.enough_calls(), varying.enough_calls());
}

}  // namespace
}  // namespace evalfleet::worker
