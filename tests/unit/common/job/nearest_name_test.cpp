#include "common/job/nearest_name.hpp"

#include <gtest/gtest.h>

#include <array>

namespace evalfleet::job {
namespace {

constexpr std::array<std::string_view, 3> kAllowed{"min_pass_rate", "min_aggregate_score", "seed"};

TEST(NearestName, FindsAMisspelling) {
    EXPECT_EQ(nearest_name("min_passrate", kAllowed), "min_pass_rate");
    EXPECT_EQ(nearest_name("Seed", kAllowed), "seed");
}

TEST(NearestName, GivesNothingForSomethingElse) {
    EXPECT_FALSE(nearest_name("temperature", kAllowed));
    EXPECT_FALSE(nearest_name(std::string(1000, 's'), kAllowed));
    EXPECT_FALSE(nearest_name("seed", {}));
}

}  // namespace
}  // namespace evalfleet::job
