#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;
using testing::HttpImposter;

/// Ways in which a provider says "not before 36 seconds from now".
struct Throttling {
    const char* name;
    const char* type;
    bool stream;
    std::string reply;
};

const std::string kGemini =
    R"({"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[)"
    R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36s"}]}})";
const std::string kAzure =
    R"({"error":{"code":"429","message":"Rate limit. Please retry after 36 seconds."}})";
const std::string kFirstChunk = "data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n";

std::vector<Throttling> throttlings() {
    const std::string status = "429 Too Many Requests";
    return {
        {"Header", "openai", false, response(status, "{}", "Retry-After: 36\r\n")},
        {"GeminiBody", "gemini", false, response(status, kGemini)},
        {"AzureSentence", "azure-openai", false, response(status, kAzure)},
        {"BodyUnder200", "gemini", false, response("200 OK", kGemini)},
        {"MiddleOfAStream", "azure-openai", true,
         chunked("text/event-stream", {kFirstChunk, "data: " + kAzure + "\n\n"})},
    };
}

class WorkerThrottling : public ::testing::TestWithParam<Throttling> {};

TEST_P(WorkerThrottling, LetsTheKeyRestForTheWholeFleet) {
    const Throttling& test = GetParam();
    HttpImposter imposter({answer_with(test.reply)});
    Fleet fleet(never_called, R"("limits": {"max_attempts": 1})");
    redirect(fleet, test.type, imposter.url(""), test.stream);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    const job::TrialRecord record = fleet.blocking_next_record();
    EXPECT_EQ(record.error_kind, job::CallError::http_429) << record.error_message.value_or("");
    // Without a word of the provider it would be a second.
    EXPECT_TRUE(blocking_eventually([&] {
        const auto limits = fleet.limits();
        return limits.size() == 1 && limits.front().paused > milliseconds(1'000) &&
               limits.front().paused <= milliseconds(36'000);
    }));
}

INSTANTIATE_TEST_SUITE_P(All, WorkerThrottling, ::testing::ValuesIn(throttlings()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace evalfleet::worker
