#include "common/json/document.hpp"
#include "tests/integration/simulator/simulator_fixture.hpp"

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

using SimulatorFaults = SimulatorTest;

TEST_F(SimulatorFaults, EndTheConnectionWithoutAnAnswer) {
    SimulatorConfig config;
    config.hang = 1s;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const char* fault : {"fault=reset", "fault=close", "fault=hang"}) {
            auto call = ask(client, url, fault);
            const auto cut = co_await std::move(call);
            EXPECT_TRUE(!cut && cut.error().kind == ErrorKind::transient) << fault;
        }
    });
    EXPECT_THAT(log(), HasSubstr("\"status\":0"));
}

TEST_F(SimulatorFaults, CutAReplyInTheMiddle) {
    SimulatorConfig config;
    config.hang = 1s;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const char* fault : {"fault=cut", "fault=stall"}) {
            auto whole = ask(client, url, fault);
            EXPECT_FALSE(co_await std::move(whole)) << fault;
            auto stream = ask(client, url, fault, kStreamBody);
            EXPECT_FALSE(co_await std::move(stream)) << fault;
        }
    });
}

TEST_F(SimulatorFaults, EndAStreamWithoutItsMark) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto whole = ask(client, url, "", kStreamBody);
        EXPECT_THAT((co_await std::move(whole)).value().body, EndsWith("data: [DONE]\n\n"));
        auto truncated = ask(client, url, "fault=truncate", kStreamBody);
        const auto half = co_await std::move(truncated);
        EXPECT_EQ(half.value().status, 200);
        EXPECT_THAT(half.value().body, HasSubstr("chat.completion.chunk"));
        EXPECT_THAT(half.value().body, Not(HasSubstr("[DONE]")));
    });
}

TEST_F(SimulatorFaults, FailInTheMiddleOfAStream) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto streamed = ask(client, url, "fault=mid_error", kStreamBody);
        const auto failed = co_await std::move(streamed);
        EXPECT_EQ(failed.value().status, 200);
        EXPECT_THAT(failed.value().body, HasSubstr("data: {\"error\":{"));
        EXPECT_THAT(failed.value().body, Not(HasSubstr("[DONE]")));
        auto whole = ask(client, url, "fault=mid_error");
        EXPECT_EQ((co_await std::move(whole)).value().status, 500);
    });
}

TEST_F(SimulatorFaults, BreakTheJson) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto whole = ask(client, url, "fault=malformed");
        EXPECT_FALSE(json::Document::parse((co_await std::move(whole)).value().body));
        auto streamed = ask(client, url, "fault=malformed", kStreamBody);
        EXPECT_THAT((co_await std::move(streamed)).value().body, EndsWith("data: [DONE]\n\n"));
    });
}

TEST_F(SimulatorFaults, DripButArriveWhole) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto whole = ask(client, url, "fault=drip drip_ms=1");
        EXPECT_TRUE(json::Document::parse((co_await std::move(whole)).value().body));
        auto streamed = ask(client, url, "fault=drip drip_ms=1", kStreamBody);
        EXPECT_THAT((co_await std::move(streamed)).value().body, EndsWith("data: [DONE]\n\n"));
    });
}

TEST_F(SimulatorFaults, AreLargerThanAClientShouldTake) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto whole = ask(client, url, "fault=oversized bytes=100000");
        EXPECT_GT((co_await std::move(whole)).value().body.size(), 100'000U);
        auto streamed = ask(client, url, "fault=oversized bytes=20000000", kStreamBody);
        const auto refused = co_await std::move(streamed);
        EXPECT_TRUE(!refused && refused.error().kind == ErrorKind::too_large);
    });
}

TEST_F(SimulatorFaults, CompressWhatNobodyAskedFor) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const char* body : {kBody, kStreamBody}) {
            auto call = ask(client, url, "fault=gzip", body);
            const auto packed = co_await std::move(call);
            // Our own client, which asks for plain bytes, says so and does not read on.
            EXPECT_THAT(packed ? "" : packed.error().message, HasSubstr("compressed"));
        }
    });
}

}  // namespace
}  // namespace evalfleet::simulator
