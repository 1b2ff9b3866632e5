#include "coordinator/runs/ledger.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

TEST(Ledger, CountsATrialOnce) {
    Ledger ledger(3);
    EXPECT_TRUE(ledger.mark(1, 100));
    EXPECT_FALSE(ledger.mark(1, 200));
    EXPECT_EQ(ledger.count_done(), 1U);
    EXPECT_EQ(ledger.offset(1), 100U) << "the first one is kept";
    EXPECT_FALSE(ledger.offset(0));
}

TEST(Ledger, KnowsNoTrialBeyondTheRun) {
    Ledger ledger(3);
    EXPECT_FALSE(ledger.mark(3, 100));
    EXPECT_FALSE(ledger.is_done(~std::uint64_t{0}));
}

TEST(Ledger, FindsTheNextOpenTrial) {
    Ledger ledger(4);
    ledger.mark(0, 8);
    ledger.mark(1, 9);
    EXPECT_EQ(ledger.next_open(0), 2U);
    EXPECT_EQ(ledger.next_open(3), 3U);
    ledger.mark(2, 10);
    ledger.mark(3, 11);
    EXPECT_FALSE(ledger.next_open(0));
    EXPECT_TRUE(ledger.is_complete());
}

TEST(Ledger, ARunWithoutTrialsIsComplete) {
    EXPECT_TRUE(Ledger(0).is_complete());
}

TEST(Ledger, DoesNotWaitForWhatWasTakenOut) {
    Ledger ledger(3);
    EXPECT_TRUE(ledger.mark(0, 10));
    EXPECT_FALSE(ledger.exclude(0)) << "it is done";
    EXPECT_TRUE(ledger.exclude(1));
    EXPECT_FALSE(ledger.exclude(1));
    EXPECT_FALSE(ledger.mark(1, 20)) << "a result that comes later is not taken";
    EXPECT_FALSE(ledger.is_done(1));
    EXPECT_FALSE(ledger.is_open(1));
    EXPECT_EQ(ledger.offset(1), std::nullopt);
    EXPECT_EQ(ledger.next_open(0), 2U);
    EXPECT_TRUE(ledger.mark(2, 30));
    EXPECT_TRUE(ledger.is_complete());
    EXPECT_FALSE(ledger.has_everything());
}

TEST(Ledger, WaitsForATrialAgainThatWasReopened) {
    Ledger ledger(2);
    EXPECT_FALSE(ledger.reopen(0)) << "it is not done";
    EXPECT_FALSE(ledger.reopen(2)) << "there is none";
    ledger.mark(0, 8);
    ledger.mark(1, 30);
    EXPECT_TRUE(ledger.reopen(0));
    EXPECT_FALSE(ledger.is_complete());
    EXPECT_EQ(ledger.count_done(), 1U);
    EXPECT_EQ(ledger.next_open(0), 0U);
    EXPECT_TRUE(ledger.mark(0, 60));
    EXPECT_EQ(ledger.offset(0), 60U) << "the later record counts";
    EXPECT_TRUE(ledger.is_complete());
}

TEST(Ledger, TakesAllTheRestOutAndSomeOfItInAgain) {
    Ledger ledger(5000);
    ledger.mark(0, 8);
    ledger.mark(4000, 9);
    ledger.reopen(4000);
    ledger.exclude(1);
    ledger.exclude_open();
    EXPECT_EQ(ledger.count_excluded(), 4999U);
    EXPECT_TRUE(ledger.is_complete());
    EXPECT_FALSE(ledger.next_open(0));
    EXPECT_FALSE(ledger.mark(3000, 10));
    EXPECT_FALSE(ledger.exclude(3000));
    for (const std::uint64_t index : {1U, 3000U, 4000U})
        EXPECT_TRUE(ledger.admit(index)) << index;
    EXPECT_FALSE(ledger.admit(3000)) << "it is open";
    EXPECT_FALSE(ledger.admit(0)) << "it is done";
    EXPECT_FALSE(ledger.admit(5000)) << "there is none";
    EXPECT_EQ(ledger.next_open(0), 1U);
    EXPECT_EQ(ledger.next_open(2), 3000U);
    EXPECT_TRUE(ledger.mark(3000, 11));
    EXPECT_TRUE(ledger.exclude(1));
    EXPECT_TRUE(ledger.exclude(4000));
    EXPECT_TRUE(ledger.is_complete());
    EXPECT_EQ(ledger.count_done(), 2U);
}

TEST(Ledger, WaitsForATrialThatIsReopenedAfterTheRestWasTakenOut) {
    Ledger ledger(3);
    ledger.mark(1, 8);
    ledger.exclude_open();
    EXPECT_TRUE(ledger.reopen(1));
    EXPECT_EQ(ledger.next_open(0), 1U);
    EXPECT_FALSE(ledger.is_complete());
}

TEST(Ledger, FindsWhatIsDone) {
    Ledger ledger(10'000);
    ledger.mark(9'999, 8);
    ledger.mark(17, 9);
    ledger.exclude(3);
    ledger.mark(5'000, 10);
    ledger.reopen(5'000);
    EXPECT_EQ(ledger.next_done(0), 17U);
    EXPECT_EQ(ledger.next_done(18), 9'999U);
    EXPECT_FALSE(ledger.next_done(10'000));
}

TEST(Ledger, OfARunThatNobodyCouldKeepInMemoryCostsWhatIsDone) {
    Ledger ledger(std::uint64_t{10'000'000'000});
    EXPECT_TRUE(ledger.mark(9'999'999'999, 8));
    EXPECT_EQ(ledger.next_done(0), 9'999'999'999U);
    ledger.exclude_open();
    EXPECT_TRUE(ledger.is_complete());
    EXPECT_EQ(ledger.count_excluded(), 9'999'999'999U);
}

}  // namespace
}  // namespace evalfleet::runs
