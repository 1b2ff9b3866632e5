#include "common/traces/trace_config.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace evalfleet::traces {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string refusal(const std::string& yaml) {
    const auto config = parse_traces(yaml, "t.yaml");
    return config ? "accepted" : config.error().message;
}

TEST(TraceConfig, ReadsWhereTracesGoAndOfHowManyTrials) {
    const auto config = parse_traces(
        "endpoint: https://otlp.example.com:4318\n"
        "sample: 0.25\n"
        "headers: {X-Team: evals, Authorization: {env: OTLP_TOKEN, prefix: \"Bearer \"}}\n"
        "resource: {deployment.environment.name: production}\n",
        "t.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->endpoint.redacted(), "https://otlp.example.com:4318/v1/traces");
    EXPECT_EQ(config->sample, 0.25);
    ASSERT_EQ(config->headers.size(), 2U);
    EXPECT_EQ(config->headers[1].env, "OTLP_TOKEN");
    EXPECT_THAT(config->resource, ElementsAre(Pair("deployment.environment.name", "production")));
}

TEST(TraceConfig, LeavesAWholeAddressAsItIs) {
    const auto config = parse_traces("endpoint: https://x.example/api/otlp/traces?a=b\n", "t.yaml");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->endpoint.target, "/api/otlp/traces?a=b");
    EXPECT_EQ(config->sample, 1);
}

TEST(TraceConfig, SaysAllThatIsWrongWithItsLine) {
    EXPECT_THAT(refusal("sample: 2\nheaders:\n  Content-Length: 4\nsampel: 1\n"),
                AllOf(HasSubstr("endpoint"), HasSubstr("t.yaml:1"), HasSubstr("0 to 1"),
                      HasSubstr("t.yaml:3"), HasSubstr("t.yaml:4"), HasSubstr("sampel")));
}

TEST(TraceConfig, DoesNotRepeatAnAddressThatMayHoldAPassword) {
    EXPECT_THAT(refusal("endpoint: https://me:geheim@x.example\n"),
                AllOf(HasSubstr("without a user"), Not(HasSubstr("geheim"))));
}

TEST(TraceConfig, LooksSecretsUpInVariablesAndFiles) {
    const testing::TemporaryFolder folder;
    const auto file = folder.path() / "key";
    ASSERT_TRUE(files::blocking_write_atomically(file, "from a file\n"));
    ::setenv("EVALFLEET_TEST_OTLP", "from a variable", 1);
    const auto config = parse_traces(
        "endpoint: http://x\nheaders: {A: {env: EVALFLEET_TEST_OTLP, prefix: \"Basic \"}, B: "
        "{file: " +
            file.string() + "}}\n",
        "t.yaml");
    ASSERT_TRUE(config) << config.error().message;
    const auto headers = blocking_resolve(*config);
    ASSERT_TRUE(headers) << headers.error().message;
    EXPECT_THAT(*headers,
                ElementsAre(Pair("A", "Basic from a variable"), Pair("B", "from a file")));
    ::unsetenv("EVALFLEET_TEST_OTLP");
    const auto missing = blocking_resolve(*config);
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message,
                AllOf(HasSubstr("headers.A"), HasSubstr("EVALFLEET_TEST_OTLP")));
}

}  // namespace
}  // namespace evalfleet::traces
