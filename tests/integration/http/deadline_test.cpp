#include "tests/integration/http/client_fixture.hpp"

#include <gmock/gmock.h>

namespace evalfleet::http {
namespace {

using testing::FullListener;
using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;

using HttpDeadline = HttpClientDeadlineTest;

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
    EXPECT_EQ(client_.count_idle_connections(), 0U);
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
                            }(client_, get(server.url()), limits));
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
