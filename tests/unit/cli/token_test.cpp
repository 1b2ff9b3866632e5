#include "cli/commands/token.hpp"

#include "common/job/sha256.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(Token, HasRandomBitsBehindAPrefix) {
    const std::string one = make_token().value();
    EXPECT_THAT(one, MatchesRegex("evalfleet_[0-9a-f]{64}"));
    EXPECT_NE(one, make_token().value());
}

TEST(TokensFileLine, HoldsTheHashOnly) {
    job::Sha256 hash;
    hash.add("evalfleet_abc");
    const std::string line = tokens_file_line("nightly", TokenRole::submitter, "evalfleet_abc");
    EXPECT_EQ(line, "- {name: \"nightly\", role: submitter, sha256: \"" + hash.hex() + "\"}");
    EXPECT_THAT(line, Not(HasSubstr("evalfleet_abc")));
}

TEST(TokenCommand, RefusesNamesAndActionsThatAreNone) {
    EXPECT_FALSE(run_token({.what = "new", .name = "two words"}));
    EXPECT_FALSE(run_token({.what = "new", .name = ""}));
    EXPECT_FALSE(run_token({.what = "old"}));
}

}  // namespace
}  // namespace evalfleet::cli
