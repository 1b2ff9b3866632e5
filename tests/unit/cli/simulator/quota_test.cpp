#include "cli/simulator/quota.hpp"

#include "cli/simulator/api_keys.hpp"
#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

constexpr async::TimePoint kStart{1h};

TEST(RollingWindow, HoldsInEveryStretchOfItsLength) {
    RollingWindow window(2, 60s);
    EXPECT_FALSE(window.wait(1, kStart));
    window.take(1, kStart);
    window.take(1, kStart + 20s);
    EXPECT_EQ(window.wait(1, kStart + 30s), 30s);
    EXPECT_FALSE(window.wait(1, kStart + 60s));
    window.take(1, kStart + 60s);
    EXPECT_EQ(window.wait(1, kStart + 61s), 19s);
}

TEST(RollingWindow, WaitsForRoomForTheWholeAmount) {
    RollingWindow window(100, 60s);
    window.take(40, kStart);
    window.take(40, kStart + 10s);
    EXPECT_FALSE(window.wait(20, kStart + 20s));
    EXPECT_EQ(window.wait(50, kStart + 20s), 40s);
    EXPECT_EQ(window.wait(70, kStart + 20s), 50s);
    EXPECT_EQ(window.wait(101, kStart + 20s), 60s);
}

TEST(RollingWindow, TellsWhatIsLeft) {
    RollingWindow window(3, 60s);
    window.take(1, kStart);
    const auto left = window.view(kStart + 10s);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->limit, 3U);
    EXPECT_EQ(left->remaining, 2U);
    EXPECT_EQ(left->full_in, 50s);
    EXPECT_FALSE(RollingWindow(0, 60s).view(kStart));
}

TEST(QuotaKeeper, KeepsTheKeysApart) {
    QuotaKeeper keeper({.rpm = 1});
    EXPECT_FALSE(keeper.admit("a", "m", 5, kStart).refusal);
    const auto refused = keeper.admit("a", "m", 5, kStart + 1s);
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->limit, QuotaKeeper::Limit::requests);
    EXPECT_EQ(refused.refusal->wait, 59s);
    EXPECT_EQ(refused.view->requests->remaining, 0U);
    EXPECT_FALSE(keeper.admit("b", "m", 5, kStart + 1s).refusal);
}

TEST(QuotaKeeper, CountsByKeyModelOrBoth) {
    struct Case {
        LimitBy by;
        bool lets_other_key_in;
        bool lets_other_model_in;
    };
    for (const Case& c : {Case{LimitBy::key, true, false}, Case{LimitBy::model, false, true},
                          Case{LimitBy::key_and_model, true, true}}) {
        QuotaKeeper keeper({.rpm = 1, .by = c.by});
        EXPECT_FALSE(keeper.admit("a", "m", 1, kStart).refusal);
        EXPECT_TRUE(keeper.admit("a", "m", 1, kStart).refusal);
        EXPECT_EQ(!keeper.admit("b", "m", 1, kStart).refusal, c.lets_other_key_in);
        EXPECT_EQ(!keeper.admit("a", "n", 1, kStart).refusal, c.lets_other_model_in);
    }
}

TEST(QuotaKeeper, TellsNothingOfHiddenLimits) {
    QuotaKeeper keeper({.rpm = 1, .is_hidden = true});
    EXPECT_FALSE(keeper.admit("a", "m", 1, kStart).view);
    const auto refused = keeper.admit("a", "m", 1, kStart);
    ASSERT_TRUE(refused.refusal);
    EXPECT_FALSE(refused.refusal->wait);
    EXPECT_FALSE(refused.view);
}

TEST(QuotaKeeper, CountsTokensOfWhatItLetsIn) {
    QuotaKeeper keeper({.tpm = 10, .window = 5s});
    EXPECT_FALSE(keeper.admit("a", "m", 6, kStart).refusal);
    const auto refused = keeper.admit("a", "m", 6, kStart + 1s);
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->limit, QuotaKeeper::Limit::tokens);
    EXPECT_EQ(refused.refusal->wait, 4s);
    EXPECT_FALSE(keeper.admit("a", "m", 4, kStart + 1s).refusal);
}

TEST(QuotaKeeper, GivesAPlaceBackWhenARequestIsOver) {
    QuotaKeeper keeper({.max_concurrent = 1});
    {
        const auto first = keeper.admit("a", "m", 1, kStart);
        EXPECT_FALSE(first.refusal);
        const auto second = keeper.admit("a", "m", 1, kStart);
        ASSERT_TRUE(second.refusal);
        EXPECT_EQ(second.refusal->limit, QuotaKeeper::Limit::concurrency);
    }
    EXPECT_FALSE(keeper.admit("a", "m", 1, kStart).refusal);
}

TEST(QuotaKeeper, SaysNothingWithoutLimits) {
    QuotaKeeper keeper({});
    const auto verdict = keeper.admit("a", "m", 1, kStart);
    EXPECT_FALSE(verdict.refusal);
    EXPECT_FALSE(verdict.view);
}

TEST(ApiKeys, AreReadOneALine) {
    const ::evalfleet::testing::TemporaryFolder folder;
    const auto path = folder / "keys";
    ASSERT_TRUE(files::blocking_write_atomically(path, "one\r\n\n  two\n"));
    const ApiKeys keys = ApiKeys::blocking_read(path).value();
    EXPECT_TRUE(keys.allow("one"));
    EXPECT_TRUE(keys.allow("two"));
    EXPECT_FALSE(keys.allow(""));
    EXPECT_FALSE(keys.allow("three"));
    EXPECT_TRUE(ApiKeys().allow(""));
    ASSERT_TRUE(files::blocking_write_atomically(path, "\n"));
    EXPECT_FALSE(ApiKeys::blocking_read(path));
}

}  // namespace
}  // namespace evalfleet::simulator
