#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "tests/integration/simulator/simulator_fixture.hpp"

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SimulatorTest, AnswersAChat) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = ask(client, url);
        const auto response = co_await std::move(call);
        EXPECT_TRUE(response);
        if (!response) co_return;
        EXPECT_EQ(response->status, 200);
        EXPECT_EQ(response->headers.find("Content-Type"), "application/json");
        EXPECT_THAT(response->body, HasSubstr("\"model\":\"simulated/m\""));
        EXPECT_TRUE(response->headers.contains("openai-processing-ms"));
    });
    EXPECT_THAT(log(), HasSubstr("\"kind\":\"model\""));
    EXPECT_THAT(log(), HasSubstr("\"status\":200"));
}

TEST_F(SimulatorTest, ObeysTheHeader) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = ask(client, url, "status=429,times=1,retry_after=2");
        const auto refused = co_await std::move(call);
        EXPECT_EQ(refused.value().status, 429);
        EXPECT_EQ(refused.value().headers.find("Retry-After"), "2");
        auto again = ask(client, url, "status=429,times=1,retry_after=2");
        EXPECT_EQ((co_await std::move(again)).value().status, 200);
    });
}

TEST_F(SimulatorTest, RefusesWhatIsNoChat) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto malformed = ask(client, url, "", "{");
        EXPECT_EQ((co_await std::move(malformed)).value().status, 400);
        auto empty = ask(client, url, "", R"({"model":"m","messages":[]})");
        EXPECT_EQ((co_await std::move(empty)).value().status, 400);
        auto directive = ask(client, url, "nonsense=1");
        const auto refused = co_await std::move(directive);
        EXPECT_EQ(refused.value().status, 400);
        EXPECT_THAT(refused.value().body, HasSubstr("unknown key 'nonsense'"));
    });
    EXPECT_THAT(log(), HasSubstr("\"kind\":\"invalid\",\"status\":400"));
}

TEST_F(SimulatorTest, WritesDownTheTrueTimes) {
    std::string request_id;
    serve({}, [&](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = ask(client, url, "delay_ms=20", kStreamBody);
        const auto response = co_await std::move(call);
        request_id = response.value().headers.find("X-Request-Id").value_or("");
    });
    const std::string line = log();
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << line;
    const json::Value root = document->root();
    const auto at = [&](const char* name) { return root.get<std::int64_t>(name).value(); };
    EXPECT_EQ(root.get<std::string>("request_id").value(), request_id);
    EXPECT_GT(at("arrival_ns"), 0);
    EXPECT_EQ(at("service_ns"), at("arrival_ns"));
    EXPECT_LE(at("service_ns"), at("reply_ns"));
    EXPECT_LE(at("reply_ns"), at("first_byte_ns"));
    EXPECT_LE(at("first_byte_ns"), at("first_text_ns"));
    EXPECT_LE(at("first_text_ns"), at("last_byte_ns"));
    EXPECT_GE(at("last_byte_ns") - at("arrival_ns"), 20'000'000);
    EXPECT_EQ(at("last_byte_unix_ns") - at("arrival_unix_ns"),
              at("last_byte_ns") - at("arrival_ns"));
}

TEST_F(SimulatorTest, LetsOnlyItsKeysIn) {
    service_.api_keys = folder_ / "keys";
    ASSERT_TRUE(files::blocking_write_atomically(*service_.api_keys, "sk-good\n"));
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto none = ask(client, url);
        EXPECT_EQ((co_await std::move(none)).value().status, 401);
        auto wrong = post(client, url + "/v1/messages", "{}", {{"x-api-key", "sk-bad"}});
        const auto refused = co_await std::move(wrong);
        EXPECT_EQ(refused.value().status, 401);
        EXPECT_THAT(refused.value().body, HasSubstr("authentication_error"));
        EXPECT_THAT(refused.value().body, Not(HasSubstr("sk-bad")));
        auto good = post(client, url + "/v1/chat/completions", kBody,
                         {{"Authorization", "Bearer sk-good"}});
        EXPECT_EQ((co_await std::move(good)).value().status, 200);
    });
}

TEST_F(SimulatorTest, HoldsEachKeyToItsLimits) {
    SimulatorConfig config;
    config.quota.rpm = 1;
    config.quota.window = 3600s;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        const std::string path = url + "/v1/chat/completions";
        auto first = post(client, path, kBody, {{"Authorization", "Bearer a"}});
        const auto passed = co_await std::move(first);
        EXPECT_EQ(passed.value().status, 200);
        EXPECT_EQ(passed.value().headers.find("x-ratelimit-remaining-requests"), "0");
        auto second = post(client, path, kBody, {{"Authorization", "Bearer a"}});
        const auto refused = co_await std::move(second);
        EXPECT_EQ(refused.value().status, 429);
        EXPECT_TRUE(refused.value().headers.contains("Retry-After"));
        EXPECT_THAT(refused.value().body, HasSubstr("rate_limit_exceeded"));
        auto other = post(client, path, kBody, {{"Authorization", "Bearer b"}});
        EXPECT_EQ((co_await std::move(other)).value().status, 200);
    });
}

TEST_F(SimulatorTest, GivesPlacesBackEvenWhenAReplyIsCut) {
    SimulatorConfig config;
    config.quota.max_concurrent = 1;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto cut = ask(client, url, "fault=cut", kStreamBody);
        EXPECT_FALSE(co_await std::move(cut));
        auto next = ask(client, url);
        EXPECT_EQ((co_await std::move(next)).value().status, 200);
    });
}

}  // namespace
}  // namespace evalfleet::simulator
