#include "common/version/version.hpp"

#include <gmock/gmock.h>

namespace evalfleet {
namespace {

TEST(Version, LineNamesProgramVersionRevisionAndBuildType) {
    EXPECT_THAT(version_line("evalfleet"),
                ::testing::MatchesRegex("evalfleet [0-9]+\\.[0-9]+\\.[0-9]+ "
                                        "\\(git ([0-9a-f]+(-dirty)?|unknown), [a-z+-]+\\)"));
}

TEST(Version, HasTheWholeRevision) {
    const std::string sha(build_info().git_sha);
    const bool is_whole = sha == "unknown" || sha.substr(0, sha.find('-')).size() == 40;
    EXPECT_TRUE(is_whole) << sha;
}

}  // namespace
}  // namespace evalfleet
