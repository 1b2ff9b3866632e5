#include "common/job/trial_index.hpp"

#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

TEST(TrialIndex, CountsAllRepeatsOfASampleBeforeTheNext) {
    EXPECT_EQ(TrialIndex::of(0, 3), (TrialIndex{0, 1}));
    EXPECT_EQ(TrialIndex::of(2, 3), (TrialIndex{0, 3}));
    EXPECT_EQ(TrialIndex::of(3, 3), (TrialIndex{1, 1}));
    EXPECT_EQ((TrialIndex{1, 1}.within(3)), 3U);
}

TEST(TrialIndex, IsFoundAgainFromSampleAndRepeat) {
    for (const std::uint64_t repeats : {1U, 2U, 3U, 1000U}) {
        for (std::uint64_t index = 0; index < 50; ++index)
            EXPECT_EQ(TrialIndex::of(index, repeats).within(repeats), index);
    }
    constexpr std::uint64_t kLarge = std::uint64_t{1} << 52;
    static_assert(TrialIndex::of(kLarge, 7).within(7) == kLarge);
}

TEST(TrialIndex, IsEnteredIntoARecordAndReadFromIt) {
    TrialRecord record;
    const TrialIndex trial = TrialIndex::of(11, 4);
    trial.enter(record);
    EXPECT_EQ(record.sample_index, 2);
    EXPECT_EQ(record.repeat, 4);
    EXPECT_EQ(TrialIndex::of(record), trial);
}

}  // namespace
}  // namespace evalfleet::job
