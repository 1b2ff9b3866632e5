#include "common/providers/api_key.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::providers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::optional<std::string> environment(const std::string& name) {
    if (name == "GOOD") return " key-1234\n";
    if (name == "EMPTY") return "  ";
    if (name == "EVIL") return "hunter22\r\nX-Admin: 1";
    return std::nullopt;
}

Result<std::string> from_environment(std::string variable) {
    ProviderConfig provider;
    provider.name = "main";
    provider.api_key_env = std::move(variable);
    return blocking_resolve_key(provider, environment);
}

TEST(ApiKey, ComesFromTheEnvironment) {
    EXPECT_EQ(from_environment("GOOD").value(), "key-1234");
}

TEST(ApiKey, ComesFromAFile) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "key") << "key-5678\n";
    ProviderConfig provider;
    provider.api_key_file = folder / "key";
    EXPECT_EQ(blocking_resolve_key(provider, environment).value(), "key-5678");
}

TEST(ApiKey, IsEmptyIfTheConfigurationNamesNone) {
    EXPECT_EQ(blocking_resolve_key({}, environment).value(), "");
}

TEST(ApiKey, MustBeThereIfItIsNamed) {
    EXPECT_THAT(from_environment("ABSENT").error().message,
                AllOf(HasSubstr("main"), HasSubstr("ABSENT"), HasSubstr("not set")));
    EXPECT_THAT(from_environment("EMPTY").error().message, HasSubstr("empty"));
    ProviderConfig provider;
    provider.api_key_file = "/nonexistent/key";
    EXPECT_THAT(blocking_resolve_key(provider, environment).error().message,
                HasSubstr("/nonexistent/key"));
}

TEST(ApiKey, ThatWouldAddHeadersIsRefusedAndNotShown) {
    EXPECT_THAT(from_environment("EVIL").error().message,
                AllOf(HasSubstr("EVIL"), Not(HasSubstr("hunter22"))));
}

}  // namespace
}  // namespace evalfleet::providers
