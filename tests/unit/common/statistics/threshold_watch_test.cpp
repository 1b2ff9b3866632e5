#include "common/statistics/threshold_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace evalfleet::statistics {
namespace {

using Verdict = ThresholdWatch::Verdict;

// A population of ones and zeros with so many ones, in random order.
std::vector<double> population(std::size_t size, std::size_t ones, std::mt19937& random) {
    std::vector<double> values(size, 0.0);
    std::fill_n(values.begin(), ones, 1.0);
    std::shuffle(values.begin(), values.end(), random);
    return values;
}

struct Outcome {
    Verdict verdict = Verdict::open;
    std::size_t count = 0;
};

// Asks after every value, as a run does, and stops at the first certain answer.
Outcome follow(const std::vector<double>& values, double threshold, double alpha) {
    ThresholdWatch watch(threshold, values.size(), alpha);
    for (const double value : values) {
        watch.add(value);
        if (watch.verdict() != Verdict::open) break;
    }
    return {watch.verdict(), watch.count()};
}

// The share of 2,000 random orders in which the named verdict was ever given before the end.
double share_of(Verdict wrong, std::size_t size, std::size_t ones, double threshold, double alpha) {
    std::mt19937 random(7);
    int count = 0;
    for (int i = 0; i < 2000; ++i) {
        const Outcome outcome = follow(population(size, ones, random), threshold, alpha);
        count += outcome.verdict == wrong ? 1 : 0;
    }
    return count / 2000.0;
}

// The hardest cases: the mean is just on the other side. 2,000 orders at 5 % have a standard error
// of 0.5 %, so that 6.5 % would be three of them too many.
TEST(ThresholdWatch, NamesTheWrongSideAtMostAsOftenAsItMayHoweverOftenItIsAsked) {
    const double alpha = 0.05;
    for (const std::size_t size : {50U, 400U, 2000U}) {
        const std::size_t limit = size * 85 / 100;
        EXPECT_LE(share_of(Verdict::at_least, size, limit - 1, 0.85, alpha), 0.065) << size;
        EXPECT_LE(share_of(Verdict::below, size, limit + 1, 0.85, alpha), 0.065) << size;
        const std::size_t few = size * 5 / 100;
        EXPECT_LE(share_of(Verdict::at_least, size, few - 1, 0.05, alpha), 0.065) << size;
        EXPECT_LE(share_of(Verdict::below, size, few + 1, 0.05, alpha), 0.065) << size;
    }
}

// The control: a test at a fixed size, asked again and again, is wrong far more often.
TEST(ThresholdWatch, CanBeWrongSoThatTheTestAboveCanFail) {
    EXPECT_GT(share_of(Verdict::at_least, 400, 339, 0.85, 1.9), 0.065);
}

TEST(ThresholdWatch, IsSoonCertainWhenTheMeanIsFarFromTheThreshold) {
    std::mt19937 random(3);
    const Outcome good = follow(population(1000, 990, random), 0.85, 0.05);
    EXPECT_EQ(good.verdict, Verdict::at_least);
    EXPECT_LT(good.count, 200U);
    const Outcome bad = follow(population(1000, 500, random), 0.85, 0.05);
    EXPECT_EQ(bad.verdict, Verdict::below);
    EXPECT_LT(bad.count, 100U);
}

TEST(ThresholdWatch, IsCertainWhenTheRestCannotChangeIt) {
    ThresholdWatch watch(0.5, 10, 1e-9);
    for (int i = 0; i < 5; ++i)
        watch.add(1);
    EXPECT_EQ(watch.verdict(), Verdict::open) << "exactly on the threshold, all zeros to come";
    watch.add(1);
    EXPECT_EQ(watch.verdict(), Verdict::at_least);
}

TEST(ThresholdWatch, GivesTheBenefitOfTheDoubtToNobody) {
    ThresholdWatch watch(0.5, 10'000, 0.05);
    for (int i = 0; i < 500; ++i)
        watch.add(WatchedValue{0, 1});
    EXPECT_EQ(watch.verdict(), Verdict::open) << "nothing is known of any value";
    for (int i = 0; i < 500; ++i)
        watch.add(1);
    EXPECT_EQ(watch.verdict(), Verdict::open);
}

TEST(ThresholdWatch, TakesValuesBetweenZeroAndOne) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> spread(0.85, 0.95);
    ThresholdWatch watch(0.8, 1000, 0.05);
    while (watch.verdict() == Verdict::open && watch.count() < 1000)
        watch.add(spread(random));
    EXPECT_EQ(watch.verdict(), Verdict::at_least);
    EXPECT_LT(watch.count(), 120U);
}

TEST(ThresholdWatch, TakesANeutralValueAsIfItWereNotThere) {
    ThresholdWatch watch(0.95, 1000, 0.05);
    for (int i = 0; i < 1000; ++i)
        watch.add(WatchedValue{0, 0, 1});
    EXPECT_EQ(watch.verdict(), Verdict::open) << "nothing is known of the mean";
}

TEST(ThresholdWatch, IsOpenWhereBothSidesWereCertain) {
    ThresholdWatch watch(0.5, 2000, 0.05);
    for (int i = 0; i < 200; ++i)
        watch.add(1);
    EXPECT_EQ(watch.verdict(), Verdict::at_least);
    for (int i = 0; i < 1200; ++i)
        watch.add(0.0);
    EXPECT_EQ(watch.verdict(), Verdict::open) << "no random order looks like this";
}

TEST(AlwaysValidInterval, HoldsTheMeanOfAllWheneverOneLooks) {
    std::mt19937 random(5);
    int missed = 0;
    for (int i = 0; i < 200; ++i) {
        const auto values = population(300, 240, random);
        std::vector<WatchedValue> seen;
        bool is_missed = false;
        for (const double value : values) {
            seen.push_back({value, value});
            if (seen.size() % 25 != 0) continue;
            const Interval interval = always_valid_interval(seen, values.size(), 0.05);
            is_missed = is_missed || interval.lower > 0.8 || interval.upper < 0.8;
        }
        missed += is_missed ? 1 : 0;
    }
    EXPECT_LE(missed, 20) << "of 200, at 5 %";
}

TEST(AlwaysValidInterval, IsWhatAWatchNeverDecided) {
    std::mt19937 random(6);
    const auto values = population(1000, 930, random);
    std::vector<WatchedValue> seen;
    for (int i = 0; i < 300; ++i)
        seen.push_back({values[i], values[i]});
    const Interval interval = always_valid_interval(seen, values.size(), 0.05);
    for (const auto& [threshold, verdict] : {std::pair{interval.lower - 0.001, Verdict::at_least},
                                             std::pair{interval.lower + 0.001, Verdict::open},
                                             std::pair{interval.upper - 0.001, Verdict::open},
                                             std::pair{interval.upper + 0.001, Verdict::below}}) {
        ThresholdWatch watch(threshold, values.size(), 0.05);
        for (const WatchedValue& value : seen)
            watch.add(value);
        EXPECT_EQ(watch.verdict(), verdict) << threshold;
    }
    EXPECT_LT(interval.upper - interval.lower, 0.15);
}

TEST(AlwaysValidInterval, IsEverythingWithoutValuesAndOnePointWithAllOfThem) {
    const Interval nothing = always_valid_interval({}, 100, 0.05);
    EXPECT_LE(nothing.lower, 1e-6);
    EXPECT_GE(nothing.upper, 1 - 1e-6);
    const std::vector<WatchedValue> all(50, WatchedValue{0.5, 0.5});
    const Interval point = always_valid_interval(all, 50, 0.05);
    EXPECT_NEAR(point.lower, 0.5, 1e-5);
    EXPECT_NEAR(point.upper, 0.5, 1e-5);
}

TEST(AlwaysValidInterval, LeavesNeutralValuesOutAndUnknownOnesOpen) {
    std::vector<WatchedValue> values;
    for (int i = 0; i < 400; ++i)
        values.push_back(i % 2 == 0 ? WatchedValue{0, 0, 1} : WatchedValue{0.9, 0.9});
    const Interval interval = always_valid_interval(values, 2000, 0.05);
    EXPECT_GT(interval.lower, 0.75);
    EXPECT_GT(interval.upper, 0.9);
    for (WatchedValue& value : values)
        if (value.neutral == 1) value = {};
    const Interval unknown = always_valid_interval(values, 400, 0.05);
    EXPECT_LT(unknown.lower, 0.45 + 1e-5);
    EXPECT_GT(unknown.upper, 0.95 - 1e-5);
}

}  // namespace
}  // namespace evalfleet::statistics
