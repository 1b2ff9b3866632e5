#include "worker/providers/protocols.hpp"

#include "common/job/image.hpp"
#include "tests/integration/simulator/simulator_fixture.hpp"
#include "worker/call/wire_response.hpp"

#include <gmock/gmock.h>

namespace evalfleet::simulator {
namespace {

using providers::ProtocolTraits;
using providers::ProviderType;
using worker::ModelReply;
using worker::WireResponse;

struct Case {
    const ProtocolTraits* traits;
    bool stream;
};

// NOLINTNEXTLINE: gtest finds it by this name.
void PrintTo(const Case& one, std::ostream* out) {
    *out << one.traits->name << (one.stream ? " streamed" : " whole");
}

/// All but programs, which are not called over HTTP.
std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const ProtocolTraits& traits : providers::kProtocols) {
        if (traits.type == ProviderType::command) continue;
        cases.push_back({&traits, false});
        cases.push_back({&traits, true});
    }
    return cases;
}

worker::ModelRequest question(const Case& one, std::string task) {
    worker::ModelRequest request;
    request.model = "m";
    request.version = "v1";
    request.messages = {{job::MessageRole::system, "Be brief."},
                        {job::MessageRole::user, std::move(task)}};
    request.generation.max_tokens = 256;
    request.generation.seed = 42;
    request.stream = one.stream;
    return request;
}

class EveryProtocol : public SimulatorTest, public ::testing::WithParamInterface<Case> {
  protected:
    /// What the worker's side makes of the simulator's answer.
    asio::awaitable<Result<WireResponse>> call(http::Client& client, std::string url,
                                               std::string task) {
        return ask(client, std::move(url), question(GetParam(), std::move(task)));
    }

    asio::awaitable<Result<WireResponse>> ask(http::Client& client, std::string url,
                                              worker::ModelRequest request) {
        const Case& one = GetParam();
        const worker::Protocol& protocol = worker::find_protocol(one.traits->type);
        const worker::Endpoint endpoint{
            http::Url::parse(url + std::string(one.traits->simulated_base)).value(), {}};
        const worker::WireRequest wire = protocol.make_request(endpoint, request);
        auto sending = client.send(wire.http, {});
        const auto response = co_await std::move(sending);
        if (!response) co_return response.error();
        WireResponse out;
        out.status = response->status;
        out.headers = response->headers;
        out.is_streamed =
            response->status == 200 && worker::is_stream(response->headers, wire.stream);
        if (out.is_streamed) {
            out.add_piece(response->body, clock_.now());
        } else {
            out.set_body(response->body);
        }
        co_return out;
    }

    static const worker::Protocol& protocol() {
        return worker::find_protocol(GetParam().traits->type);
    }
};

TEST_P(EveryProtocol, ReadsTheSimulatorsAnswer) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto calling =
            call(client, url, R"(Why? [[simulate answer="It is so." cached=3 reasoning=5]])");
        const auto response = co_await std::move(calling);
        EXPECT_TRUE(response);
        if (!response) co_return;
        EXPECT_EQ(response->status, 200) << response->body();
        EXPECT_EQ(response->is_streamed, GetParam().stream);
        const auto reply = response->read(protocol());
        EXPECT_TRUE(reply) << reply.error().message;
        if (!reply) co_return;
        EXPECT_EQ(reply->answer, "It is so.");
        EXPECT_EQ(reply->finish_reason, "stop");
        EXPECT_GT(reply->usage.input_tokens.value_or(0), 3);
        // Ollama does not count it apart.
        if (GetParam().traits->type != ProviderType::ollama) {
            EXPECT_EQ(reply->usage.cache_read_tokens, 3);
        }
        EXPECT_GE(reply->usage.output_tokens.value_or(0), 3);
        EXPECT_EQ(reply->first_token_at.has_value(), GetParam().stream);
        EXPECT_TRUE(reply->request_id || GetParam().traits->type == ProviderType::ollama);
    });
}

SimulatorConfig always_right() {
    SimulatorConfig config;
    config.correctness = 1;
    return config;
}

/// A chat with a developer, a picture, and a tool that was called.
worker::ModelRequest long_chat(const Case& one) {
    worker::ModelRequest request = question(one, "And now?");
    job::Message picture{job::MessageRole::user, "What?\n[image]"};
    picture.parts = {{.text = "What?"}, {.image = job::make_image("\x89PNG\r\n\x1A\n.").value()}};
    job::Message calls{job::MessageRole::assistant, ""};
    calls.tool_calls = {{"call1", "look", R"({"at":1})"}};
    job::Message result{job::MessageRole::tool, "a cat"};
    result.tool_call_id = "call1";
    const job::Message last = request.messages.back();
    request.messages = {{job::MessageRole::developer, "Be brief."}, picture, calls, result, last};
    return request;
}

TEST_P(EveryProtocol, CarriesPicturesAndTools) {
    if (!GetParam().traits->has_images) GTEST_SKIP() << "it has no pictures";
    serve(always_right(),
          [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
              worker::ModelRequest request = long_chat(GetParam());
              auto calling = ask(client, url, request);
              const auto response = co_await std::move(calling);
              EXPECT_EQ(response.value().status, 200) << response.value().body();
              EXPECT_THAT(response.value().read(protocol()).value().answer,
                          ::testing::HasSubstr("now"));
              // What is no picture is refused by the server, so that it was really sent.
              request.messages[1].parts[1].image->base64 = "aGVsbG8=";
              auto broken = ask(client, url, request);
              const auto refused = co_await std::move(broken);
              EXPECT_EQ(refused.value().status, 400) << refused.value().body();
          });
}

TEST_P(EveryProtocol, GoesOnFromAPrefillWhereItCan) {
    const ProviderType type = GetParam().traits->type;
    if (!GetParam().traits->has_prefill || type == ProviderType::openai_completions)
        GTEST_SKIP() << "it has no prefills, or they are texts like any other";
    serve(always_right(),
          [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
              worker::ModelRequest request = question(GetParam(), "One two three four");
              request.messages.push_back({job::MessageRole::assistant, "One two"});
              auto calling = ask(client, url, request);
              const auto response = co_await std::move(calling);
              EXPECT_EQ(response.value().status, 200) << response.value().body();
              EXPECT_EQ(response.value().read(protocol()).value().answer, " three four");
          });
}

TEST_P(EveryProtocol, UnderstandsWhatGoesWrong) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto limited = call(client, url, "a [[simulate status=429 retry_after=3]]");
        const auto slow = co_await std::move(limited);
        const auto refusal = protocol().read_refusal(slow.value().status, slow.value().headers,
                                                     slow.value().body(), clock_.utc_now());
        EXPECT_EQ(refusal.status, 429);
        EXPECT_EQ(refusal.retry_after, std::chrono::seconds(3));
        auto cut = call(client, url, R"(b [[simulate answer="It is so." finish=length]])");
        const auto length = co_await std::move(cut);
        EXPECT_EQ(length.value().read(protocol()).value().finish_reason, "length");
        auto torn = call(client, url, R"(c [[simulate answer="It is so." fault=truncate]])");
        const auto half = co_await std::move(torn);
        EXPECT_FALSE(half.value().read(protocol()));
        if (!GetParam().stream) co_return;
        auto failing = call(client, url, R"(d [[simulate answer="It is so." fault=mid_error]])");
        const auto failed = co_await std::move(failing);
        const auto reply = failed.value().read(protocol());
        EXPECT_TRUE(reply && reply->refusal);
    });
}

TEST_P(EveryProtocol, TakesAnAnswerWhoseStreamDiffersFromTheBook) {
    if (!GetParam().stream) GTEST_SKIP() << "of streams only";
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        const std::string answer = "It is \xF0\x9F\xA6\x80 so.";
        for (const std::string fault : {"surrogates", "blank_error", "no_done"}) {
            auto odd =
                call(client, url, "e [[simulate answer=\"" + answer + "\" fault=" + fault + "]]");
            const auto response = co_await std::move(odd);
            const auto reply = response.value().read(protocol());
            EXPECT_TRUE(reply) << fault << ": " << reply.error().message;
            EXPECT_EQ(reply ? reply->answer : "", answer) << fault;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(All, EveryProtocol, ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) {
                             std::string name(tested.param.traits->name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name + (tested.param.stream ? "_stream" : "");
                         });

}  // namespace
}  // namespace evalfleet::simulator
