#include "common/text/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace evalfleet::text {
namespace {

constexpr std::array<std::string_view, 3> kAllowed{"min_pass_rate", "min_aggregate_score", "seed"};

TEST(Nearest, FindsAMisspelling) {
    EXPECT_EQ(nearest("min_passrate", kAllowed), "min_pass_rate");
    EXPECT_EQ(nearest("Seed", kAllowed), "seed");
    EXPECT_EQ(nearest("sede", kAllowed), "seed") << "two letters swapped are one mistake";
    const std::vector<std::string> commands = {"run", "report", "reduce", "validate"};
    EXPECT_EQ(nearest("repotr", commands), "report");
    EXPECT_EQ(nearest("valdate", commands), "validate");
}

TEST(Nearest, GivesNothingForSomethingElse) {
    EXPECT_FALSE(nearest("temperature", kAllowed));
    EXPECT_FALSE(nearest("sale", kAllowed));
    EXPECT_FALSE(nearest(std::string(1000, 's'), kAllowed));
    EXPECT_FALSE(nearest("", kAllowed));
    EXPECT_FALSE(nearest("seed", std::vector<std::string>{}));
}

TEST(Nearest, IsSaidBeforeWhatIsAllowed) {
    EXPECT_EQ(did_you_mean("sead", kAllowed), "did you mean \"seed\"? ");
    EXPECT_EQ(did_you_mean("temperature", kAllowed), "");
}

}  // namespace
}  // namespace evalfleet::text
