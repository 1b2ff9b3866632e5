#include "cli/commands/init.hpp"

#include "cli/commands/local.hpp"
#include "common/providers/provider_config.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;

/// Runs it, and gives what it printed.
std::string init(const InitOptions& options) {
    ::testing::internal::CaptureStdout();
    const auto outcome = run_init(options);
    std::string printed = ::testing::internal::GetCapturedStdout();
    return outcome ? printed : outcome.error().message;
}

TEST(Init, WritesFilesThatAreValidForEveryService) {
    for (const StarterService& service : starter_services()) {
        const testing::TemporaryFolder folder;
        const std::string printed = init({folder / "first", std::string(service.name)});
        EXPECT_THAT(printed, HasSubstr("run.yaml --simulate\n"));
        ValidateOptions options{(folder / "first" / "run.yaml").string(), {}, false};
        options.simulate = true;
        ::testing::internal::CaptureStdout();
        const auto outcome = run_validate(options);
        EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("12 samples x 3 repeats"));
        ASSERT_TRUE(outcome) << service.name;
        EXPECT_EQ(*outcome, ExitCode::done) << service.name;
        EXPECT_TRUE(providers::blocking_read_providers_file(folder / "first" / "providers.yaml"));
    }
}

TEST(Init, OverwritesNothing) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "dataset.jsonl") << "mine";
    EXPECT_THAT(init({folder.path(), "openai"}), HasSubstr("dataset.jsonl: is there already"));
    EXPECT_FALSE(std::filesystem::exists(folder / "run.yaml"));
    std::ofstream(folder / "file") << "x";
    EXPECT_THAT(init({folder / "file", "openai"}), HasSubstr("is no folder"));
}

}  // namespace
}  // namespace evalfleet::cli
