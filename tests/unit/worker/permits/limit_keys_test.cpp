#include "worker/permits/limit_keys.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

providers::ProviderConfig provider(std::string name, std::optional<std::string> key_id,
                                   std::uint64_t rpm, std::uint64_t tpm,
                                   std::uint64_t max_concurrent) {
    providers::ProviderConfig config;
    config.name = std::move(name);
    config.api_key_id = std::move(key_id);
    config.rpm = rpm;
    config.tpm = tpm;
    config.max_concurrent = max_concurrent;
    return config;
}

TEST(LimitKeys, EveryProviderHasItsOwnUnlessKeysAreLabelledAlike) {
    const providers::Providers all{{"a", provider("a", std::nullopt, 10, 0, 0)},
                                   {"b", provider("b", std::nullopt, 20, 0, 5)},
                                   {"c", provider("c", "prod", 100, 0, 8)},
                                   {"d", provider("d", "prod", 60, 5000, 0)}};
    const auto keys = limit_keys(all);
    EXPECT_EQ(keys.at("a"), (queue::LimitKey{"a", 10, 0, 0}));
    EXPECT_EQ(keys.at("b"), (queue::LimitKey{"b", 20, 0, 5}));
    EXPECT_EQ(keys.at("c"), (queue::LimitKey{"key:prod", 60, 5000, 8})) << "the strictest";
    EXPECT_EQ(keys.at("d"), keys.at("c"));
}

TEST(LimitKeys, ALabelIsNeverTakenForAName) {
    const providers::Providers all{{"prod", provider("prod", std::nullopt, 10, 0, 0)},
                                   {"x", provider("x", "prod", 20, 0, 0)}};
    const auto keys = limit_keys(all);
    EXPECT_NE(keys.at("prod").name, keys.at("x").name);
}

}  // namespace
}  // namespace evalfleet::worker
