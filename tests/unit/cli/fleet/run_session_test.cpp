#include "cli/fleet/run_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace evalfleet::fleet {
namespace {

using ::testing::HasSubstr;

SessionConfig make_config() {
    SessionConfig config;
    config.simulate = true;
    config.dataset = "/data/my \"best\" set.jsonl";
    config.providers_json = R"({"acme":{"type":"openai","rpm":60}})";
    config.run_json = R"({"name":"nightly"})";
    config.run_ids = {"r-1", "r-2"};
    return config;
}

TEST(SessionFile, ReadsBackAsItWasWritten) {
    const SessionConfig written = make_config();
    SessionConfig read;
    const Status status = read_session(session_json(written), read);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_TRUE(read.simulate);
    EXPECT_EQ(read.dataset, written.dataset);
    EXPECT_EQ(read.run_json, written.run_json);
    EXPECT_EQ(read.run_ids, written.run_ids);
    EXPECT_EQ(read.providers_json, written.providers_json);
}

TEST(SessionFile, IsWrittenTheSameOnceMore) {
    SessionConfig read;
    ASSERT_TRUE(read_session(session_json(make_config()), read));
    EXPECT_EQ(session_json(read), session_json(make_config()));
}

TEST(SessionFile, HoldsWhatTheRunIsMadeFrom) {
    SessionConfig written = make_config();
    written.run_json.clear();
    written.derivation = Derivation{"r-0", "rejudge", R"({"name":"again"})"};
    written.seed.runs.push_back({"/runs/main", "r-0", "main", {}});
    SessionConfig read;
    const Status status = read_session(session_json(written), read);
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_TRUE(read.derivation);
    EXPECT_EQ(read.derivation->run_id, "r-0");
    EXPECT_EQ(read.derivation->how, "rejudge");
    EXPECT_EQ(read.derivation->body, written.derivation->body);
    ASSERT_EQ(read.seed.runs.size(), 1U);
    EXPECT_EQ(read.seed.runs.front().run_id, "r-0");
    EXPECT_EQ(session_json(read), session_json(written));
}

TEST(SessionFile, LeavesWhatItDoesNotHoldAlone) {
    SessionConfig read;
    read.out = "out";
    read.is_new = false;
    read.fleet.workers = 7;
    ASSERT_TRUE(read_session(session_json(make_config()), read));
    EXPECT_EQ(read.out, "out");
    EXPECT_FALSE(read.is_new);
    EXPECT_EQ(read.fleet.workers, 7u);
}

TEST(SessionFile, ThatIsWrongIsAnErrorAndChangesNothing) {
    struct Case {
        std::string json;
        std::string named;
    };
    const std::vector<Case> cases{{"", ""},
                                  {"{", ""},
                                  {"[]", ""},
                                  {R"({"dataset":"d","providers":{}})", "simulate"},
                                  {R"({"simulate":1,"dataset":"d","providers":{}})", "simulate"},
                                  {R"({"simulate":true,"providers":{}})", "dataset"},
                                  {R"({"simulate":true,"dataset":"d"})", "providers"}};
    for (const Case& one : cases) {
        SessionConfig read;
        const Status status = read_session(one.json, read);
        ASSERT_FALSE(status) << one.json;
        EXPECT_THAT(status.error().message, HasSubstr(one.named)) << one.json;
        EXPECT_FALSE(read.simulate) << one.json;
        EXPECT_TRUE(read.dataset.empty()) << one.json;
    }
}

TEST(SessionFile, OfAVersionThatDidNotWriteItsRunDownIsRead) {
    SessionConfig read;
    ASSERT_TRUE(read_session(R"({"simulate":true,"dataset":"d","providers":{}})", read));
    EXPECT_EQ(read.run_json, "");
}

TEST(SimulatedProviders, KeepWhatARunIsCheckedAgainstAndLoseKeysAndLimits) {
    EXPECT_EQ(simulated_providers(
                  R"({"a":{"type":"openai","base_url":"https://a/v1","api_key_env":"A","rpm":5},)"
                  R"("b":{"type":"anthropic","base_url":"https://b","stream":true,)"
                  R"("prices":{"input_usd_per_mtok":1,"output_usd_per_mtok":2}}})",
                  81),
              R"({"a":{"type":"openai","base_url":"http://127.0.0.1:81/v1"},)"
              R"("b":{"type":"anthropic","base_url":"http://127.0.0.1:81","stream":true,)"
              R"("prices":{"input_usd_per_mtok":1,"output_usd_per_mtok":2}}})");
}

}  // namespace
}  // namespace evalfleet::fleet
