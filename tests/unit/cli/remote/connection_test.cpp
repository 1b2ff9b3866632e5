#include "cli/remote/connection.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace evalfleet::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

config::Environment environment(std::map<std::string, std::string> variables) {
    return [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    };
}

TEST(Connection, NeedsNoToken) {
    const auto connection = blocking_resolve({}, environment({}));
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->token, "");
}

TEST(Connection, TakesTheTokenFromTheEnvironment) {
    const auto connection = blocking_resolve({}, environment({{"EVALFLEET_TOKEN", " abc\n"}}));
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->token, "abc");
}

TEST(Connection, PrefersTheTokenOfAFile) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(files::blocking_write_atomically(folder / "token", "from-file\n"));
    ConnectionOptions options;
    options.token_file = (folder / "token").string();
    const auto connection = blocking_resolve(options, environment({{"EVALFLEET_TOKEN", "abc"}}));
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->token, "from-file");
}

TEST(Connection, NamesTheSourceOfWhatIsNoTokenButNotWhatItHolds) {
    const auto connection =
        blocking_resolve({}, environment({{"EVALFLEET_TOKEN", "two words of secret"}}));
    ASSERT_FALSE(connection);
    EXPECT_EQ(connection.error().kind, ErrorKind::invalid);
    EXPECT_THAT(connection.error().message, HasSubstr("EVALFLEET_TOKEN"));
    EXPECT_THAT(connection.error().message, Not(HasSubstr("secret")));
}

TEST(Connection, NamesAFileThatIsNotThere) {
    ConnectionOptions options;
    options.token_file = "/nowhere/token";
    const auto connection = blocking_resolve(options, environment({}));
    ASSERT_FALSE(connection);
    EXPECT_THAT(connection.error().message, HasSubstr("--token-file"));
}

TEST(Connection, RefusesWhatIsNoUrl) {
    ConnectionOptions options;
    options.coordinator_url = "coordinator:8080";
    const auto connection = blocking_resolve(options, environment({}));
    ASSERT_FALSE(connection);
    EXPECT_THAT(connection.error().message, HasSubstr("--coordinator-url"));
}

}  // namespace
}  // namespace evalfleet::remote
