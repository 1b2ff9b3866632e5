#include "cli/fleet/run_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace evalfleet::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SessionConfig make_config() {
    SessionConfig config;
    config.simulate = true;
    config.dataset = "/data/my \"best\" set.jsonl";
    config.providers_json = R"({"acme":{"type":"openai","rpm":60}})";
    config.provider_names = {"acme", "other"};
    return config;
}

TEST(SessionFile, ReadsBackAsItWasWritten) {
    const SessionConfig written = make_config();
    SessionConfig read;
    const Status status = read_session(session_json(written), read);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_TRUE(read.simulate);
    EXPECT_EQ(read.dataset, written.dataset);
    EXPECT_EQ(read.providers_json, written.providers_json);
    EXPECT_THAT(read.provider_names, ElementsAre("acme", "other"));
}

TEST(SessionFile, IsWrittenTheSameOnceMore) {
    SessionConfig read;
    ASSERT_TRUE(read_session(session_json(make_config()), read));
    EXPECT_EQ(session_json(read), session_json(make_config()));
}

TEST(SessionFile, LeavesWhatItDoesNotHoldAlone) {
    SessionConfig read;
    read.out = "out";
    read.run_json = "{}";
    read.fleet.workers = 7;
    ASSERT_TRUE(read_session(session_json(make_config()), read));
    EXPECT_EQ(read.out, "out");
    EXPECT_EQ(read.run_json, "{}");
    EXPECT_EQ(read.fleet.workers, 7u);
}

TEST(SessionFile, ThatIsWrongIsAnErrorAndChangesNothing) {
    struct Case {
        std::string json;
        std::string named;
    };
    const std::vector<Case> cases{
        {"", ""},
        {"{", ""},
        {"[]", ""},
        {R"({"dataset":"d","providers":{},"provider_names":[]})", "simulate"},
        {R"({"simulate":1,"dataset":"d","providers":{},"provider_names":[]})", "simulate"},
        {R"({"simulate":true,"providers":{},"provider_names":[]})", "dataset"},
        {R"({"simulate":true,"dataset":"d","provider_names":[]})", "providers"},
        {R"({"simulate":true,"dataset":"d","providers":{},"provider_names":"a"})",
         "provider_names"},
        {R"({"simulate":true,"dataset":"d","providers":{},"provider_names":[1]})",
         "provider_names"}};
    for (const Case& one : cases) {
        SessionConfig read;
        const Status status = read_session(one.json, read);
        ASSERT_FALSE(status) << one.json;
        EXPECT_THAT(status.error().message, HasSubstr(one.named)) << one.json;
        EXPECT_FALSE(read.simulate) << one.json;
        EXPECT_TRUE(read.dataset.empty()) << one.json;
    }
}

}  // namespace
}  // namespace evalfleet::fleet
