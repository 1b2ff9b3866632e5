#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <ctime>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;
using testing::HttpImposter;

/// Ways in which a provider says "not before 36 seconds from now".
struct Throttling {
    const char* name;
    const char* type;
    bool stream;
    std::string reply;  // kDate in it stands for that moment
    job::CallError kind = job::CallError::http_429;
};

const std::string kDate = "DATE";

/// As HTTP writes it.
std::string date_of(std::chrono::system_clock::time_point moment) {
    const std::time_t time = std::chrono::system_clock::to_time_t(moment);
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text.data();
}

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
        {"Fraction", "openai", false, response(status, "{}", "Retry-After: 35.75\r\n")},
        {"Date", "openai", false, response(status, "{}", "Retry-After: " + kDate + "\r\n")},
        {"Unavailable", "openai", false,
         response("503 Service Unavailable", "{}", "Retry-After: 36\r\n"),
         job::CallError::http_5xx},
        {"Overloaded", "anthropic", false, response("529 Overloaded", "{}", "Retry-After: 36\r\n"),
         job::CallError::http_5xx},
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
    std::string reply = test.reply;
    if (const std::size_t at = reply.find(kDate); at != std::string::npos)
        reply.replace(at, kDate.size(),
                      date_of(std::chrono::system_clock::now() + std::chrono::seconds(36)));
    HttpImposter imposter({answer_with(reply)});
    Fleet fleet(never_called, R"("limits": {"max_attempts": 1})");
    redirect(fleet, test.type, imposter.url(""), test.stream);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    const job::TrialRecord record = fleet.blocking_next_record();
    EXPECT_EQ(record.error_kind, test.kind) << record.error_message.value_or("");
    // Without a word of the provider nobody would rest.
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
