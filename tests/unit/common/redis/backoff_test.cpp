#include "common/redis/backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::redis {
namespace {

using std::chrono::milliseconds;

/// The largest of many first delays after `attempts` attempts: close to the ceiling.
milliseconds largest_delay(int attempts) {
    std::mt19937_64 random(7);
    milliseconds largest{0};
    for (int i = 0; i < 2000; ++i) {
        Backoff backoff({milliseconds(100), milliseconds(1000)});
        for (int n = 0; n < attempts; ++n)
            (void)backoff.next(random);
        largest = std::max(largest, backoff.next(random));
    }
    return largest;
}

TEST(Backoff, DoublesItsCeilingUpToTheMaximum) {
    EXPECT_NEAR(double(largest_delay(0).count()), 100, 2);
    EXPECT_NEAR(double(largest_delay(1).count()), 200, 3);
    EXPECT_NEAR(double(largest_delay(3).count()), 800, 9);
    EXPECT_NEAR(double(largest_delay(4).count()), 1000, 10);
    EXPECT_NEAR(double(largest_delay(100).count()), 1000, 10);
}

TEST(Backoff, SpreadsItsDelaysFromNothingOn) {
    std::mt19937_64 random(7);
    milliseconds sum{0};
    milliseconds least{1000};
    for (int i = 0; i < 2000; ++i) {
        Backoff backoff({milliseconds(100), milliseconds(100)});
        const auto delay = backoff.next(random);
        least = std::min(least, delay);
        sum += delay;
    }
    EXPECT_EQ(least, milliseconds(0));
    EXPECT_NEAR(double(sum.count()) / 2000, 50, 3);
}

TEST(Backoff, BeginsAnewAfterAReset) {
    std::mt19937_64 random(7);
    Backoff backoff({milliseconds(10), milliseconds(1000)});
    for (int i = 0; i < 20; ++i)
        (void)backoff.next(random);
    backoff.reset();
    EXPECT_LE(backoff.next(random), milliseconds(10));
}

}  // namespace
}  // namespace evalfleet::redis
