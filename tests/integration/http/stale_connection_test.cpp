#include "tests/integration/http/client_fixture.hpp"

namespace evalfleet::http {
namespace {

using testing::HttpImposter;
using testing::Script;

using StaleConnection = HttpClientTest;

TEST_F(StaleConnection, IsReplacedOnceAndTheRequestSentAgain) {
    HttpImposter server({Script().answer("one").read_request(), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    const auto second = send(post(server.url(), "body"));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(second->body, "two");
    EXPECT_TRUE(second->timings.resent);
    EXPECT_FALSE(second->timings.connection_reused);
    EXPECT_EQ(server.count_connections(), 2U);
    EXPECT_TRUE(server.requests().back().ends_with("\r\n\r\nbody"));
}

TEST_F(StaleConnection, IsToldWhereTheCallerSendsAgainHimself) {
    HttpImposter server({Script().answer("one").read_request(), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    Request second = post(server.url(), "body");
    second.may_resend = false;
    const auto told = send(second);
    ASSERT_FALSE(told);
    EXPECT_TRUE(is_stale_connection(told.error())) << told.error().message;
    second.wants_new_connection = true;
    const auto sent = send(second);
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_EQ(sent->body, "two");
    EXPECT_FALSE(sent->timings.resent);
}

TEST_F(StaleConnection, IsReplacedAfterAReset) {
    HttpImposter server(
        {Script().answer("one").read_request().reset(), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    const auto second = send(get(server.url()));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->timings.resent);
}

TEST_F(StaleConnection, IsNotUsedWhenTheServerHasClosedItBefore) {
    HttpImposter server({Script().answer("one"), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    server.blocking_await_ended_connections(1);
    const auto second = send(get(server.url()));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(second->body, "two");
}

TEST_F(StaleConnection, IsNotReplacedTwice) {
    HttpImposter server({Script().answer("one").read_request(), Script().read_request(),
                         Script().answer("three").hang()});
    ASSERT_TRUE(send(get(server.url())));
    const auto second = send(get(server.url()));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::transient);
    EXPECT_EQ(server.count_connections(), 2U);
}

TEST_F(StaleConnection, IsNotReplacedAfterAByteWasAnswered) {
    HttpImposter server(
        {Script().answer("one").read_request().send("H"), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    const auto second = send(get(server.url()));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::transient);
    EXPECT_EQ(server.count_connections(), 1U);
}

TEST_F(StaleConnection, IsNotReplacedAfterAnInterimAnswer) {
    HttpImposter server(
        {Script().answer("one").read_request().send("HTTP/1.1 100 Continue\r\n\r\n"),
         Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    EXPECT_FALSE(send(get(server.url())));
    EXPECT_EQ(server.count_connections(), 1U);
}

TEST_F(StaleConnection, IsNotReplacedWhenTheRequestForbidsIt) {
    HttpImposter server({Script().answer("one").read_request(), Script().answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    Request request = post(server.url(), "charge the card");
    request.may_resend = false;
    const auto second = send(std::move(request));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::transient);
    EXPECT_EQ(server.count_connections(), 1U);
}

}  // namespace
}  // namespace evalfleet::http
