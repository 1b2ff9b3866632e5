#include "common/redis/address.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace evalfleet::redis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Lookup with(std::map<std::string, std::string> variables) {
    return
        [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
}

TEST(RedisAddress, TakesAPasswordAsItIsFromAVariable) {
    const auto config = blocking_read_address("redis://fleet:@redis:6379",
                                              with({{"EVALFLEET_REDIS_PASSWORD", "p%40/#?@:ss"}}));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->user, "fleet");
    EXPECT_EQ(config->password, "p%40/#?@:ss");
    EXPECT_EQ(blocking_read_address("redis://redis", with({})).value().password, "");
}

TEST(RedisAddress, TakesTheFirstLineOfAFile) {
    const testing::TemporaryFolder folder;
    const std::string file = (folder / "password").string();
    ASSERT_TRUE(files::blocking_write_atomically(file, "p@ss\nand more\n"));
    const auto lookup = with({{"EVALFLEET_REDIS_PASSWORD_FILE", file}});
    EXPECT_EQ(blocking_read_address("redis://redis", lookup).value().password, "p@ss");
    ASSERT_TRUE(files::blocking_write_atomically(file, "\n"));
    EXPECT_THAT(blocking_read_address("redis://redis", lookup).error().message,
                HasSubstr("EVALFLEET_REDIS_PASSWORD_FILE: the file's first line is empty"));
    const auto absent = with({{"EVALFLEET_REDIS_PASSWORD_FILE", file + "-no"}});
    EXPECT_THAT(blocking_read_address("redis://redis", absent).error().message,
                HasSubstr("password-no"));
}

TEST(RedisAddress, RefusesTwoPasswordsAndShowsNeither) {
    const auto refusal = [](const char* url, std::map<std::string, std::string> variables) {
        return blocking_read_address(url, with(std::move(variables))).error().message;
    };
    EXPECT_THAT(refusal("redis://:in-url@redis", {{"EVALFLEET_REDIS_PASSWORD", "in-variable"}}),
                AllOf(HasSubstr("has a password, and another one is given by itself"),
                      Not(HasSubstr("in-url")), Not(HasSubstr("in-variable"))));
    EXPECT_THAT(refusal("redis://redis", {{"EVALFLEET_REDIS_PASSWORD", "in-variable"},
                                          {"EVALFLEET_REDIS_PASSWORD_FILE", "/f"}}),
                HasSubstr("allowed: one of them"));
}

}  // namespace
}  // namespace evalfleet::redis
