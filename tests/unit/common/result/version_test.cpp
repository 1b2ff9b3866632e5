#include "common/version/version.hpp"

#include <gmock/gmock.h>

namespace evalfleet {
namespace {

TEST(Version, LineNamesProgramVersionRevisionAndBuildType) {
    EXPECT_THAT(version_line("evalfleet"),
                ::testing::MatchesRegex("evalfleet [0-9]+\\.[0-9]+\\.[0-9]+ "
                                        "\\(git ([0-9a-f]+(-dirty)?|unknown), [a-z+-]+\\)"));
}

}  // namespace
}  // namespace evalfleet
