#include "common/scoring/cost.hpp"

#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

constexpr Prices kPrices{2.5, 10, 0.5, 1.25};

TEST(CacheSavings, AreReadsAtADiscountLessTheSurchargeOnWrites) {
    // 2.5e-6 * (1000 * 0.5 - 400 * 0.25)
    EXPECT_DOUBLE_EQ(cache_savings_usd(kPrices, 1000, 400).value(), 0.001);
}

TEST(CacheSavings, CanBeNegative) {
    EXPECT_LT(cache_savings_usd(kPrices, 0, 400).value(), 0);
}

TEST(CacheSavings, TakeOneUnknownCountAsZeroAndAreUnknownWithoutBoth) {
    EXPECT_EQ(cache_savings_usd(kPrices, 1000, std::nullopt), cache_savings_usd(kPrices, 1000, 0));
    EXPECT_EQ(cache_savings_usd(kPrices, std::nullopt, 8), cache_savings_usd(kPrices, 0, 8));
    EXPECT_FALSE(cache_savings_usd(kPrices, std::nullopt, std::nullopt));
}

TEST(CallCost, IsListPriceLessSavings) {
    EXPECT_DOUBLE_EQ(call_cost_usd(kPrices, 1'000'000, 100'000, {}, {}).value(), 3.5);
    EXPECT_DOUBLE_EQ(call_cost_usd(kPrices, 1'000'000, 100'000, 1'000'000, {}).value(), 2.25);
    EXPECT_FALSE(call_cost_usd(kPrices, std::nullopt, 5, {}, {}));
}

TEST(CallCost, IsNeverNegativeWhateverAProviderReports) {
    constexpr Prices kFreeReads{2.5, 10, 0, 1};
    EXPECT_EQ(call_cost_usd(kFreeReads, 100, 1, 1'000'000, {}), 0.0);
}

TEST(EstimateTokens, RoundsAQuarterOfTheBytesUp) {
    EXPECT_EQ(estimate_tokens(""), 0);
    EXPECT_EQ(estimate_tokens("a"), 1);
    EXPECT_EQ(estimate_tokens("abcd"), 1);
    EXPECT_EQ(estimate_tokens("abcde"), 2);
    EXPECT_EQ(estimate_tokens("\xC3\xA9\xC3\xA9\xC3\xA9"), 2);
}

TEST(Cost, HasAPriceOfItsOwnForReasoning) {
    Prices prices{.input_usd_per_mtok = 1, .output_usd_per_mtok = 10};
    EXPECT_DOUBLE_EQ(call_cost_usd(prices, 0, 100, {}, {}, 60).value(), 100 * 10e-6);
    prices.reasoning_usd_per_mtok = 2;
    EXPECT_DOUBLE_EQ(call_cost_usd(prices, 0, 100, {}, {}, 60).value(), 40 * 10e-6 + 60 * 2e-6);
    EXPECT_DOUBLE_EQ(call_cost_usd(prices, 0, 100, {}, {}, 500).value(), 100 * 2e-6)
        << "there is no more reasoning than output";
}

TEST(Cost, IsLookedUpForTheModelAndThenForAll) {
    const Prices all{1, 1}, own{2, 2}, pinned{3, 3};
    const ModelPrices models{{"gpt-4o", own}, {"o3-2025-04-16", pinned}, {"llama:8b", pinned}};
    EXPECT_EQ(*find_prices(all, models, "gpt-4o", "2024-08-06"), own);
    EXPECT_EQ(*find_prices(all, models, "o3", "2025-04-16"), pinned);
    EXPECT_EQ(*find_prices(all, models, "llama", "8b"), pinned);
    EXPECT_EQ(*find_prices(all, models, "o3", "2026-01-01"), all);
    EXPECT_EQ(*find_prices(all, models, "gpt-4o-mini", std::nullopt), all);
    EXPECT_EQ(find_prices(std::nullopt, models, "x", std::nullopt), nullptr);
}

}  // namespace
}  // namespace evalfleet::scoring
