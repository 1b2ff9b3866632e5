#include "common/http/problem.hpp"
#include "common/http/reply_head.hpp"
#include "common/http/request_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Request request_to(const char* url) {
    Request request;
    request.url = Url::parse(url).value();
    return request;
}

TEST(RequestHead, IsInOriginFormForTheServerItself) {
    const std::string head =
        format_request_head(request_to("http://a:81/p?q"), nullptr, "agent", 0);
    EXPECT_EQ(head,
              "GET /p?q HTTP/1.1\r\nHost: a:81\r\nAccept-Encoding: identity\r\nUser-Agent: "
              "agent\r\n\r\n");
}

TEST(RequestHead, IsInAbsoluteFormForAProxy) {
    const Url proxy = Url::parse("http://me:pw@proxy:3128").value();
    const std::string plain = format_request_head(request_to("http://a/p"), &proxy, "agent", 0);
    EXPECT_THAT(plain, StartsWith("GET http://a/p HTTP/1.1\r\nHost: a\r\n"));
    EXPECT_THAT(plain, HasSubstr("Proxy-Authorization: Basic bWU6cHc=\r\n"));
    const std::string tunnelled =
        format_request_head(request_to("https://a/p"), &proxy, "agent", 0);
    EXPECT_THAT(tunnelled, StartsWith("GET /p HTTP/1.1\r\n"));
    EXPECT_THAT(tunnelled, Not(HasSubstr("Proxy-Authorization"))) << "the server must not see it";
}

TEST(RequestHead, AsksForATunnel) {
    const Url proxy = Url::parse("http://me:pw@proxy:3128").value();
    EXPECT_EQ(format_connect(Url::parse("https://[::1]/x").value(), proxy, "agent"),
              "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nUser-Agent: "
              "agent\r\nProxy-Authorization: Basic bWU6cHc=\r\n\r\n");
}

TEST(RequestHead, SendsTheLengthOfAnEmptyPost) {
    Request request = request_to("http://a");
    request.method = "POST";
    EXPECT_THAT(format_request_head(request, nullptr, "agent", 0),
                HasSubstr("Content-Length: 0\r\n"));
}

TEST(RequestHead, RefusesWhatWouldChangeTheMessage) {
    Request good = request_to("http://a");
    EXPECT_TRUE(check_request(good));
    Request bad = good;
    bad.method = "GET / HTTP/1.1\r\nX: y";
    EXPECT_FALSE(check_request(bad));
    bad = good;
    bad.url.target = "/x HTTP/1.1\r\n";
    EXPECT_FALSE(check_request(bad));
    bad = good;
    bad.url.target = "x";
    EXPECT_FALSE(check_request(bad));
    for (const char* own : {"host", "content-length", "Transfer-Encoding", "Connection"}) {
        bad = good;
        bad.headers.add(own, "1");
        EXPECT_FALSE(check_request(bad)) << own;
    }
}

TEST(ReplyHead, FramesByStatusAndVersion) {
    Reply reply;
    EXPECT_EQ(choose_framing(reply, 11), Framing::length);
    reply.status = 204;
    EXPECT_EQ(choose_framing(reply, 11), Framing::none);
    struct Nothing : BodyProducer {
        boost::asio::awaitable<Status> produce(BodyWriter&) override { co_return Status{}; }
    };
    const Reply streamed = Reply::stream("text/plain", std::make_unique<Nothing>());
    EXPECT_EQ(choose_framing(streamed, 11), Framing::chunked);
    EXPECT_EQ(choose_framing(streamed, 10), Framing::close);
}

TEST(ReplyHead, TellsDateLengthAndId) {
    const std::string head =
        format_reply_head(Reply::text("hello"), {.length = 5, .request_id = "r1"},
                          std::chrono::system_clock::time_point(std::chrono::seconds(784'111'777)));
    EXPECT_EQ(head,
              "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 5\r\n"
              "X-Request-Id: r1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
}

TEST(RequestId, IsTheClientsOwnOnlyIfItIsPlain) {
    EXPECT_EQ(choose_request_id("abc-1.2_X"), "abc-1.2_X");
    for (const std::string& offered :
         {std::string(), std::string(65, 'a'), std::string("a b"), std::string("<x>")}) {
        EXPECT_NE(choose_request_id(offered), offered);
        EXPECT_EQ(choose_request_id(offered).size(), 16U);
    }
    EXPECT_NE(choose_request_id({}), choose_request_id({}));
}

TEST(Problem, IsWrittenAsRfc9457Says) {
    const Problem problem{.status = 422,
                          .detail = "repeats is \"0\"",
                          .instance = "/runs",
                          .extra = {{"field", "repeats"}}};
    EXPECT_EQ(
        problem.to_json(),
        R"({"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"repeats is \"0\"","instance":"/runs","field":"repeats"})");
    EXPECT_EQ(problem.to_reply().headers.find("content-type"), "application/problem+json");
}

TEST(Problem, TellsTheCallersErrorsAndHidesOurs) {
    EXPECT_EQ(to_problem({ErrorKind::invalid, "no"}).status, 400);
    EXPECT_EQ(to_problem({ErrorKind::invalid, "no"}).detail, "no");
    EXPECT_EQ(to_problem({ErrorKind::too_large, ""}).status, 413);
    EXPECT_EQ(to_problem({ErrorKind::not_found, ""}).status, 404);
    EXPECT_EQ(to_problem({ErrorKind::internal, "disk /dev/sda"}).status, 500);
    EXPECT_EQ(to_problem({ErrorKind::internal, "disk /dev/sda"}).detail, "");
}

}  // namespace
}  // namespace evalfleet::http
