#include "worker/providers/command_chat.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

TEST(CommandChat, GivesTheQuestionAsJson) {
    const WireRequest wire = CommandChat().make_request({}, question("m", "7"));
    EXPECT_THAT(wire.http.body,
                HasSubstr(R"({"model":"m","version":"7","messages":[{"role":"system","content":)"
                          R"("Be brief."},)"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("generation":{"temperature":0.5,"top_p":1.0,)"
                                          R"("max_tokens":64,"seed":42}})"));
}

TEST(CommandChat, ReadsAnAnswerAndWhatItCost) {
    const auto reply = CommandChat().read_reply(
        {}, R"({"answer":"Paris.","finish_reason":"stop","model":"m-7","request_id":"r",)"
            R"("usage":{"input_tokens":20,"output_tokens":5,"reasoning_tokens":1}})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->model_reported, "m-7");
    EXPECT_EQ(reply->request_id, "r");
    EXPECT_EQ(reply->usage, (Usage{20, 5, std::nullopt, std::nullopt, 1}));
    EXPECT_EQ(CommandChat().read_reply({}, R"({"answer":"x"})")->usage, Usage{});
    EXPECT_FALSE(CommandChat().read_reply({}, R"({"text":"x"})"));
    EXPECT_FALSE(CommandChat().read_reply({}, "Paris."));
}

TEST(CommandChat, ReadsErrorsWithTheirStatus) {
    const auto limited = CommandChat().read_reply(
        {}, R"({"error":{"message":"slow down","status":429,"retry_after_ms":1500}})");
    ASSERT_TRUE(limited && limited->refusal);
    EXPECT_EQ(limited->refusal->status, 429);
    EXPECT_EQ(limited->refusal->retry_after, std::chrono::milliseconds(1500));
    EXPECT_THAT(limited->refusal->message, HasSubstr("slow down"));
    EXPECT_EQ(CommandChat().read_reply({}, R"({"error":"broken"})")->refusal->status, 500);
    const auto failed = CommandChat().read_refusal(500, {}, "exit code 3: no such model", {});
    EXPECT_EQ(failed.status, 500);
    EXPECT_THAT(failed.message, HasSubstr("exit code 3: no such model"));
    EXPECT_EQ(
        CommandChat().read_refusal(500, {}, R"({"error":{"message":"x","status":401}})", {}).status,
        401);
}

}  // namespace
}  // namespace evalfleet::worker
