#include "coordinator/runs/pass_tally.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using statistics::ClusteredRate;

void expect_same(const PassTally& tally, const ClusteredRate& rate) {
    ASSERT_TRUE(tally.ci95());
    EXPECT_EQ(tally.ci95()->lower, rate.ci95()->lower);
    EXPECT_EQ(tally.ci95()->upper, rate.ci95()->upper);
}

TEST(PassTally, HasNoIntervalBeforeTheFirstTrial) {
    EXPECT_FALSE(PassTally(10, 1).ci95());
}

TEST(PassTally, HasWilsonsIntervalWithoutRepeats) {
    PassTally tally(100, 1);
    for (std::uint64_t i = 0; i < 100; ++i)
        tally.add(i, i < 84);
    EXPECT_EQ(tally.ci95()->lower, statistics::wilson_interval(84, 100)->lower);
    EXPECT_EQ(tally.ci95()->upper, statistics::wilson_interval(84, 100)->upper);
}

TEST(PassTally, DoesNotTakeRepeatsForSamplesInWhateverOrderTheyCome) {
    PassTally tally(300, 3);
    for (std::uint64_t repeat = 0; repeat < 3; ++repeat)
        for (std::uint64_t sample = 0; sample < 100; ++sample)
            tally.add(sample * 3 + repeat, sample < 84);
    ClusteredRate rate;
    for (std::uint64_t sample = 0; sample < 100; ++sample)
        rate.add_sample(sample < 84 ? 3 : 0, 3);
    expect_same(tally, rate);
    const auto as_samples = statistics::wilson_interval(84 * 3, 300);
    EXPECT_LT(tally.ci95()->lower, as_samples->lower) << "identical repeats tell nothing new";
}

TEST(PassTally, CountsSamplesOfWhichSomeTrialsAreMissing) {
    PassTally tally(9, 3);
    tally.add(0, true);
    tally.add(1, false);
    tally.add(8, true);
    ClusteredRate rate;
    rate.add_sample(1, 2);
    rate.add_sample(1, 1);
    expect_same(tally, rate);
}

TEST(PassTally, TakesATrialBackThatIsTriedAgain) {
    for (const std::uint64_t repeats : {1U, 2U}) {
        PassTally tally(10, repeats);
        PassTally fresh(10, repeats);
        for (std::uint64_t i = 0; i < 10; ++i) {
            tally.add(i, i % 3 == 0);
            if (i != 5) fresh.add(i, i % 3 == 0);
        }
        tally.take_back_failed(5);
        EXPECT_EQ(tally.ci95()->lower, fresh.ci95()->lower);
        tally.add(5, true);
        fresh.add(5, true);
        EXPECT_EQ(tally.ci95()->lower, fresh.ci95()->lower);
    }
}

}  // namespace
}  // namespace evalfleet::runs
