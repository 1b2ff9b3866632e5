#include "worker/permits/adaptive_limit.hpp"

#include <gtest/gtest.h>

#include <random>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;

constexpr ServerTime kNow{1'700'000'000'000};

CallSignals successes(std::uint64_t count) {
    CallSignals signals;
    signals.successes = count;
    return signals;
}

CallSignals throttled(ServerTime sent) {
    CallSignals signals;
    signals.add_throttled(sent);
    return signals;
}

CallSignals faults(std::uint64_t count) {
    CallSignals signals;
    signals.faults = count;
    return signals;
}

/// One that was cut, long ago.
AdaptiveLimit seasoned(double limit) {
    return AdaptiveLimit::parse(std::to_string(limit) + "," + std::to_string(limit) + ",1,0");
}

TEST(AdaptiveLimit, DoublesWithEveryRoundUntilTheFirstRefusal) {
    AdaptiveLimit limit;
    EXPECT_TRUE(limit.is_slow_start());
    limit.reckon(successes(16), true, kNow);
    EXPECT_EQ(limit.limit(), 32);
    limit.reckon(successes(32), true, kNow);
    EXPECT_EQ(limit.limit(), 64);
    limit.reckon(successes(1'000), true, kNow);
    EXPECT_EQ(limit.limit(), 128) << "old successes do not add up";
    limit.reckon(throttled(kNow), true, kNow + milliseconds(1));
    EXPECT_FALSE(limit.is_slow_start());
}

TEST(AdaptiveLimit, GrowsAdditivelyAfterwards) {
    AdaptiveLimit small = seasoned(10);
    small.reckon(successes(10), true, kNow);
    EXPECT_DOUBLE_EQ(small.limit(), 11);
    small.reckon(successes(5), true, kNow);
    EXPECT_NEAR(small.limit(), 11 + 5.0 / 11, 1e-9);
    AdaptiveLimit large = seasoned(1000);
    large.reckon(successes(1000), true, kNow);
    EXPECT_DOUBLE_EQ(large.limit(), 1050);
}

TEST(AdaptiveLimit, DoesNotGrowWhileTheLimitIsNotUsed) {
    AdaptiveLimit limit;
    limit.reckon(successes(1000), false, kNow);
    EXPECT_EQ(limit, AdaptiveLimit());
}

TEST(AdaptiveLimit, CutsOnceAnEpisode) {
    AdaptiveLimit limit = seasoned(100);
    limit.reckon(throttled(kNow), true, kNow + milliseconds(500));
    EXPECT_DOUBLE_EQ(limit.limit(), 70);
    for (int i = 0; i <= 500; i += 50)
        limit.reckon(throttled(kNow + milliseconds(i)), true, kNow + milliseconds(900));
    EXPECT_DOUBLE_EQ(limit.limit(), 70) << "these were sent before the cut";
    limit.reckon(throttled(kNow + milliseconds(501)), true, kNow + milliseconds(1'000));
    EXPECT_DOUBLE_EQ(limit.limit(), 49) << "this one knew the lower limit, and it was too much";
}

TEST(AdaptiveLimit, StopsGrowingForAWhileWhenTheProviderIsInTrouble) {
    AdaptiveLimit limit = seasoned(100);
    limit.reckon(faults(3), true, kNow);
    EXPECT_EQ(limit.limit(), 100) << "and does not shrink";
    limit.reckon(successes(100), true, kNow + AdaptiveLimit::kFaultPause - milliseconds(1));
    EXPECT_EQ(limit.limit(), 100);
    limit.reckon(successes(100), true, kNow + AdaptiveLimit::kFaultPause);
    EXPECT_GT(limit.limit(), 100);
}

TEST(AdaptiveLimit, FindsItsWayBackAfterSustainedThrottling) {
    AdaptiveLimit limit = seasoned(500);
    ServerTime now = kNow;
    for (int i = 0; i < 1'000; ++i, now += milliseconds(100))
        limit.reckon(throttled(now), true, now + milliseconds(1));
    EXPECT_EQ(limit.limit(), AdaptiveLimit::kLeast);
    int rounds = 0;
    for (; limit.limit() < 500 && rounds < 1'000; ++rounds, now += milliseconds(100))
        limit.reckon(successes(static_cast<std::uint64_t>(limit.limit())), true, now);
    EXPECT_LT(rounds, 200);
}

TEST(AdaptiveLimit, SettlesBelowAHardLimitAndUsesMostOfIt) {
    // A provider that bears 200 calls at once and refuses what is more; one round a step.
    constexpr double kTrue = 200;
    AdaptiveLimit limit;
    ServerTime now = kNow;
    double used = 0;
    int refusals = 0;
    for (int round = 0; round < 1'000; ++round, now += milliseconds(1'000)) {
        const bool is_refused = limit.limit() > kTrue;
        CallSignals signals = successes(static_cast<std::uint64_t>(std::min(kTrue, limit.limit())));
        if (is_refused) signals.add_throttled(now);
        if (round >= 100) used += std::min(kTrue, limit.limit()) / kTrue / 900;
        refusals += round >= 100 && is_refused ? 1 : 0;
        limit.reckon(signals, true, now + milliseconds(1));
    }
    EXPECT_GT(used, 0.8);
    EXPECT_LT(refusals, 150) << "of 900 rounds";
}

TEST(AdaptiveLimit, StaysWithinItsBoundsWhateverItIsTold) {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        AdaptiveLimit limit;
        ServerTime now = kNow;
        for (int step = 0; step < 200; ++step) {
            CallSignals signals;
            signals.successes = random() % 3 == 0 ? random() : random() % 1'000;
            signals.faults = random() % 4 == 0 ? 1 : 0;
            if (random() % 3 == 0)
                signals.add_throttled(now - milliseconds(random() % 5'000) +
                                      milliseconds(random() % 5'000));
            const double before = limit.limit();
            const ServerTime last_cut = limit.last_cut();
            limit.reckon(signals, random() % 2 == 0, now);
            ASSERT_GE(limit.limit(), AdaptiveLimit::kLeast);
            ASSERT_LE(limit.limit(), AdaptiveLimit::kMost);
            const bool may_cut = signals.throttled && *signals.throttled > last_cut;
            ASSERT_EQ(limit.last_cut() != last_cut, may_cut);
            if (!may_cut) {
                ASSERT_GE(limit.limit(), before) << "only a refusal cuts";
            }
            ASSERT_LE(limit.limit(), before * 2);
            ASSERT_EQ(AdaptiveLimit::parse(limit.text()), limit);
            now += milliseconds(random() % 3'000);
        }
    }
}

TEST(AdaptiveLimit, BeginsAnewFromATextThatMakesNoSense) {
    for (const char* text : {"", "x", "5", "5,5,1", "0,5,1,1", "nan,5,1,1", "5,inf,1,1",
                             "1e9,5,1,1", "5,5,1,1,1", "-5,5,1,1"})
        EXPECT_EQ(AdaptiveLimit::parse(text), AdaptiveLimit()) << text;
}

TEST(CallSignals, AddUpAndRememberTheRefusalThatWasSentLast) {
    CallSignals signals = throttled(kNow);
    signals.add(throttled(kNow + milliseconds(5)));
    signals.add(throttled(kNow - milliseconds(5)));
    signals.add(successes(2));
    signals.add(faults(1));
    EXPECT_EQ(signals.throttled, kNow + milliseconds(5));
    EXPECT_EQ(signals.successes, 2U);
    EXPECT_EQ(signals.faults, 1U);
    EXPECT_FALSE(signals.empty());
    EXPECT_TRUE(CallSignals().empty());
}

}  // namespace
}  // namespace evalfleet::worker
