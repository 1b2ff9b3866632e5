#include "tests/integration/http/client_fixture.hpp"
#include "tests/support/name_server.hpp"

#include <gmock/gmock.h>

namespace evalfleet::http {
namespace {

using testing::FullListener;
using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::NameRecord;
using testing::NameServer;
using testing::Script;

/// Calls that have `kLimit` until they must be connected, and twice that in all.
class HttpDeadline : public HttpClientDeadlineTest {
  protected:
    CallLimits limits() {
        CallLimits limits;
        limits.connect_deadline = clock_.now() + kLimit;
        limits.total_deadline = clock_.now() + 2 * kLimit;
        return limits;
    }

    /// Once the call waits, its first deadline passes.
    Error pass_deadline(std::future<Result<Response>> call) {
        clock_.blocking_await_sleepers(1);
        clock_.advance(kLimit);
        const auto response = call.get();
        return response ? Error{ErrorKind::internal, "it worked"} : response.error();
    }

    void go_through(const std::string& kind, const HttpImposter& proxy) {
        const std::string place = kind + "://127.0.0.1:" + std::to_string(proxy.port());
        ClientConfig config;
        config.proxy = {place, place, ""};
        use(std::move(config));
    }
};

TEST_F(HttpDeadline, NamesTheLookupOfANameThatNobodyAnswers) {
    NameServer silent({.mood = NameRecord::Mood::is_silent});
    ClientConfig config;
    config.name_servers = silent.place();
    use(std::move(config));
    auto call = start(get("http://model.test/"), limits());
    silent.blocking_await_questions(1);
    const Error error = pass_deadline(std::move(call));
    EXPECT_EQ(error.kind, ErrorKind::timeout);
    EXPECT_THAT(error.message, HasSubstr("name lookup deadline"));
    EXPECT_TRUE(is_connect_timeout(error));
}

TEST_F(HttpDeadline, NamesAProxyThatDoesNotOpenItsTunnel) {
    HttpImposter proxy({Script().read_request().hang()});
    go_through("http", proxy);
    auto call = start(get("https://service.test/"), limits());
    proxy.blocking_await_requests(1);
    const Error error = pass_deadline(std::move(call));
    EXPECT_EQ(error.kind, ErrorKind::timeout);
    EXPECT_THAT(error.message, HasSubstr("proxy deadline"));
    EXPECT_TRUE(is_connect_timeout(error));
}

TEST_F(HttpDeadline, NamesAProxyThatBreaksOffItsGreeting) {
    HttpImposter proxy({Script().read_bytes(3).send("\x05").hang()});
    go_through("socks5h", proxy);
    auto call = start(get("http://service.test/"), limits());
    proxy.blocking_await_requests(1);
    const Error error = pass_deadline(std::move(call));
    EXPECT_THAT(error.message, HasSubstr("proxy deadline"));
}

TEST_F(HttpDeadline, NamesTheHandshakeBehindAProxy) {
    HttpImposter server({Script().read_bytes(1).hang()});
    HttpImposter proxy({Script()
                            .read_request()
                            .send("HTTP/1.1 200 Connection established\r\n\r\n")
                            .tunnel(server.port())});
    go_through("http", proxy);
    auto call = start(get("https://service.test/"), limits());
    server.blocking_await_requests(1);
    const Error error = pass_deadline(std::move(call));
    EXPECT_THAT(error.message, HasSubstr("TLS handshake deadline"));
}

TEST_F(HttpDeadline, NamesTheSendingOfWhatTheServerDoesNotRead) {
    HttpImposter server({Script().read_bytes(1).hang()});
    CallLimits limits;
    limits.total_deadline = clock_.now() + kLimit;
    constexpr std::size_t kMoreThanBuffersHold = std::size_t{64} << 20;
    auto call = start(post(server.url(), std::string(kMoreThanBuffersHold, 'x')), limits);
    server.blocking_await_requests(1);
    const Error error = pass_deadline(std::move(call));
    EXPECT_EQ(error.kind, ErrorKind::timeout);
    EXPECT_THAT(error.message, HasSubstr("(phase: send)"));
    EXPECT_FALSE(is_connect_timeout(error));
}

TEST_F(HttpDeadline, NamesTheBodyOfAnAnswerThatHasBegun) {
    HttpImposter server({Script()
                             .read_request()
                             .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                             .hang()});
    CallLimits limits;
    limits.total_deadline = clock_.now() + kLimit;
    boost::asio::io_context& context = context_;
    auto stream = std::async(std::launch::async, [&] {
                      return testing::run(context, client_->open(get(server.url()), limits));
                  }).get();
    ASSERT_TRUE(stream) << stream.error().message;
    auto body =
        std::async(std::launch::async, [&] { return testing::run(context, stream->read_all()); });
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto read = body.get();
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("(phase: body)"));
    EXPECT_FALSE(is_connect_timeout(read.error()));
}

TEST_F(HttpDeadline, EndsAConnectThatTakesTooLong) {
    const FullListener nobody;
    CallLimits limits;
    limits.connect_deadline = clock_.now() + kLimit;
    limits.total_deadline = clock_.now() + 2 * kLimit;
    auto call = start(get(nobody.url()), limits);
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto response = call.get();
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::timeout);
    EXPECT_THAT(response.error().message, HasSubstr("connect deadline"));
    EXPECT_TRUE(is_connect_timeout(response.error()));
}

TEST_F(HttpDeadline, OfTheWholeCallThatEndsAConnectIsStillOneOfTheConnection) {
    const FullListener nobody;
    CallLimits limits;
    limits.connect_deadline = clock_.now() + 2 * kLimit;
    limits.total_deadline = clock_.now() + kLimit;
    auto call = start(get(nobody.url()), limits);
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto response = call.get();
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, HasSubstr("total deadline"));
    EXPECT_TRUE(is_connect_timeout(response.error()));
}

TEST_F(HttpDeadline, EndsAHandshakeThatTakesTooLong) {
    HttpImposter server({Script().read_bytes(1).hang()});
    CallLimits limits;
    limits.connect_deadline = clock_.now() + kLimit;
    auto call = start(get("https://127.0.0.1:" + std::to_string(server.port())), limits);
    server.blocking_await_requests(1);  // its hello
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto response = call.get();
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::timeout);
    EXPECT_THAT(response.error().message, HasSubstr("TLS handshake deadline"));
    EXPECT_TRUE(is_connect_timeout(response.error()));
}

TEST_F(HttpDeadline, EndsACallWhoseAnswerDoesNotBegin) {
    HttpImposter server({Script().read_request().hang()});
    CallLimits limits;
    limits.first_byte_deadline = clock_.now() + kLimit;
    limits.total_deadline = clock_.now() + 2 * kLimit;
    auto call = start(get(server.url()), limits);
    server.blocking_await_requests(1);
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto response = call.get();
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::timeout);
    EXPECT_THAT(response.error().message, HasSubstr("first byte deadline"));
    server.blocking_await_ended_connections(1);
    EXPECT_EQ(client_->count_idle_connections(), 0U);
}

TEST_F(HttpDeadline, OfTheWholeCallHoldsBeforeTheFirstByteToo) {
    HttpImposter server({Script().read_request().hang()});
    CallLimits limits;
    limits.total_deadline = clock_.now() + kLimit;
    auto call = start(get(server.url()), limits);
    server.blocking_await_requests(1);
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto response = call.get();
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::timeout);
    EXPECT_THAT(response.error().message, HasSubstr("total deadline"));
    EXPECT_THAT(response.error().message, HasSubstr("first byte"));
    EXPECT_FALSE(is_connect_timeout(response.error()));
}

TEST_F(HttpDeadline, OfTheWholeCallEndsABodyThatDoesNotEnd) {
    HttpImposter server({Script()
                             .read_request()
                             .drip("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part")
                             .hang()});
    boost::asio::io_context& context = context_;
    CallLimits limits;
    limits.total_deadline = clock_.now() + kLimit;
    auto call = std::async(std::launch::async, [&] {
        return testing::run(context,
                            [](Client& client, Request request,
                               CallLimits bounds) -> boost::asio::awaitable<Result<std::string>> {
                                auto stream = co_await client.open(std::move(request), bounds);
                                if (!stream) co_return stream.error();
                                co_return co_await stream->read_all();
                            }(*client_, get(server.url()), limits));
    });
    server.blocking_await_requests(1);
    clock_.blocking_await_sleepers(1);
    clock_.advance(kLimit);
    const auto body = call.get();
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().kind, ErrorKind::timeout);
    EXPECT_THAT(body.error().message, HasSubstr("total deadline"));
}

}  // namespace
}  // namespace evalfleet::http
