#include "cli/remote/run_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::remote {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kIds{"20261116-020000-3f9a2c-nightly", "20261116-030000-aa-weekly",
                                    "20261117-020000-bb-nightly"};

TEST(ChooseRun, TakesTheOnlyIdThatBeginsSo) {
    EXPECT_EQ(choose_run("20261117", kIds).value(), kIds[2]);
    EXPECT_EQ(choose_run(kIds[0], kIds).value(), kIds[0]);
}

TEST(ChooseRun, NamesThoseThatBeginSoIfThereAreSeveral) {
    const auto chosen = choose_run("20261116", kIds);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().kind, ErrorKind::invalid);
    EXPECT_THAT(chosen.error().message, HasSubstr("2 runs begin with \"20261116\""));
    EXPECT_THAT(chosen.error().message, HasSubstr(kIds[1]));
}

TEST(ChooseRun, SaysIfThereIsNone) {
    EXPECT_EQ(choose_run("nightly", kIds).error().kind, ErrorKind::not_found)
        << "what stands in the middle is no beginning";
}

}  // namespace
}  // namespace evalfleet::remote
