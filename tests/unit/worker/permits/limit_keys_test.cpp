#include "worker/permits/limit_keys.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace evalfleet::worker {
namespace {

using providers::Limits;
using providers::LimitScope;

providers::ProviderConfig provider(std::string name, std::optional<std::string> key_id,
                                   Limits limits, LimitScope scope = LimitScope::key) {
    providers::ProviderConfig config;
    config.name = std::move(name);
    config.base_url.host = "host";
    config.api_key_id = std::move(key_id);
    config.limits = limits;
    config.limit_scope = scope;
    return config;
}

LimitKeys keys_of(const std::vector<providers::ProviderConfig>& configs) {
    providers::Providers all;
    for (const providers::ProviderConfig& config : configs)
        all.emplace(config.name, config);
    return LimitKeys(all);
}

TEST(LimitKeys, EveryProviderHasItsOwnUnlessKeysAreLabelledAlike) {
    const LimitKeys keys =
        keys_of({provider("a", std::nullopt, {10, 0, 0}), provider("b", std::nullopt, {20, 0, 5}),
                 provider("c", "prod", {100, 0, 8}), provider("d", "prod", {60, 5000, 0})});
    EXPECT_EQ(keys.of("a", "m"), (queue::LimitKey{"a", 10, 0, 0}));
    EXPECT_EQ(keys.of("b", "m"), (queue::LimitKey{"b", 20, 0, 5}));
    EXPECT_EQ(keys.of("c", "m"), (queue::LimitKey{"key:prod", 60, 5000, 8})) << "the strictest";
    EXPECT_EQ(keys.of("d", "other"), keys.of("c", "m"));
}

TEST(LimitKeys, ALabelIsNeverTakenForAName) {
    const LimitKeys keys =
        keys_of({provider("prod", std::nullopt, {10, 0, 0}), provider("x", "prod", {20, 0, 0})});
    EXPECT_NE(keys.of("prod", "m").name, keys.of("x", "m").name);
}

TEST(LimitKeys, AModelWithLimitsOfItsOwnSharesNothingWithTheOthersOfTheKey) {
    providers::ProviderConfig config = provider("a", "prod", {100, 0, 8});
    config.model_limits["large"] = {5, 0, 0};
    const LimitKeys keys = keys_of({config});
    EXPECT_EQ(keys.of("a", "large"), (queue::LimitKey{"key:prod/large", 5, 0, 0}));
    EXPECT_EQ(keys.of("a", "small"), (queue::LimitKey{"key:prod", 100, 0, 8}));
}

TEST(LimitKeys, PerKeyAndModelEveryModelHasTheLimitsForItself) {
    const LimitKeys keys = keys_of({provider("a", "prod", {100, 0, 0}, LimitScope::key_model),
                                    provider("b", "prod", {100, 0, 0}, LimitScope::key_model),
                                    provider("c", "test", {100, 0, 0}, LimitScope::key_model)});
    EXPECT_EQ(keys.of("a", "m"), (queue::LimitKey{"key:prod/m", 100, 0, 0}));
    EXPECT_NE(keys.of("a", "m"), keys.of("a", "n"));
    EXPECT_EQ(keys.of("a", "m"), keys.of("b", "m"));
    EXPECT_NE(keys.of("a", "m"), keys.of("c", "m"));
}

TEST(LimitKeys, PerModelTheKeyDoesNotMatterButTheAddressDoes) {
    providers::ProviderConfig elsewhere =
        provider("c", std::nullopt, {100, 0, 0}, LimitScope::model);
    elsewhere.base_url.host = "elsewhere";
    const LimitKeys keys =
        keys_of({provider("a", "prod", {100, 0, 0}, LimitScope::model),
                 provider("b", "test", {100, 0, 0}, LimitScope::model), elsewhere});
    EXPECT_EQ(keys.of("a", "m"), keys.of("b", "m"));
    EXPECT_NE(keys.of("a", "m"), keys.of("a", "n"));
    EXPECT_NE(keys.of("a", "m"), keys.of("c", "m"));
}

TEST(LimitKeys, KnowsItsProviders) {
    const LimitKeys keys = keys_of({provider("a", std::nullopt, {})});
    EXPECT_EQ(keys.of("a", "m").name, "a");
    EXPECT_THROW((void)keys.of("b", "m"), std::logic_error);
}

}  // namespace
}  // namespace evalfleet::worker
