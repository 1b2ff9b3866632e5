#include "worker/providers/protocols.hpp"

#include "tests/integration/simulator/simulator_fixture.hpp"
#include "worker/call/wire_response.hpp"

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
        const Case& one = GetParam();
        const worker::Protocol& protocol = worker::find_protocol(one.traits->type);
        const worker::Endpoint endpoint{
            http::Url::parse(url + std::string(one.traits->simulated_base)).value(), {}};
        const worker::WireRequest wire =
            protocol.make_request(endpoint, question(one, std::move(task)));
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

INSTANTIATE_TEST_SUITE_P(All, EveryProtocol, ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) {
                             std::string name(tested.param.traits->name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name + (tested.param.stream ? "_stream" : "");
                         });

}  // namespace
}  // namespace evalfleet::simulator
