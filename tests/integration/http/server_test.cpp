#include "common/http/server.hpp"

#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>

namespace evalfleet::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kGetHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

/// Keeps what it is told, for the test's thread.
class Recorder final : public ServerObserver {
  public:
    void on_request(const RequestReport& report) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(std::string(report.method) + " " + std::string(report.route) + " " +
                         std::to_string(report.status) + " " +
                         std::to_string(report.received_bytes) + " " +
                         std::to_string(report.sent_bytes));
        changed_.notify_all();
    }
    void on_handler_exception(std::string_view route, std::string_view,
                              const std::exception_ptr&) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back("exception " + std::string(route));
    }
    std::vector<std::string> blocking_await_lines(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return lines_.size() >= count; });
        return lines_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> lines_;
};

TEST(HttpServer, AnswersAndKeepsTheConnection) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    for (int i = 0; i < 3; ++i) {
        client.send(kGetHello);
        const std::string response = client.read_response();
        EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
        EXPECT_THAT(response, HasSubstr("X-Request-Id: "));
        EXPECT_TRUE(response.ends_with("\r\n\r\nhello"));
    }
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send(
        "GET /things/1 HTTP/1.1\r\n\r\nGET /things/2 HTTP/1.1\r\n\r\n"
        "POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /things/4 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\n1"));
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\n2"));
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\nabc"));
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\n4"));
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    for (const char c :
         "POST /echo HTTP/1.1\r\nTransfer-Encoding: "
         "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n") {
        if (c != '\0') client.send(std::string(1, c));
    }
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\nabc"));
}

TEST(HttpServer, DecodesParametersAndQuery) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("GET /things/a%2Fb?x=1+2&y=%C3%A4 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\na/b;x=1 2;y=\xC3\xA4"));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("HEAD /hello HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 5\r\n"));
    client.send("HEAD /stream HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
    client.send(kGetHello);
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 200 OK"));
}

TEST(HttpServer, ClosesAfterARequestThatAsksForIt) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
    const std::string all = client.read_to_end();
    EXPECT_THAT(all, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(all.ends_with("hello"));
}

TEST(HttpServer, ServesHttp10AndClosesUnlessAsked) {
    const RunningServer server(make_router());
    RawClient once(server.port());
    once.send("GET /hello HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(once.read_to_end().ends_with("hello"));
    RawClient kept(server.port());
    kept.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(kept.read_response(), HasSubstr("Connection: keep-alive"));
    RawClient streamed(server.port());
    streamed.send("GET /stream HTTP/1.0\r\n\r\n");
    const std::string all = streamed.read_to_end();
    EXPECT_THAT(all, Not(HasSubstr("chunked")));
    EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 100U * 1024);
}

TEST(HttpServer, TellsWhatItDoesNotHave) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("GET /nothing HTTP/1.1\r\n\r\n");
    const std::string missing = client.read_response();
    EXPECT_THAT(missing, StartsWith("HTTP/1.1 404 Not Found"));
    EXPECT_THAT(missing, HasSubstr("Content-Type: application/problem+json\r\n"));
    EXPECT_THAT(missing, HasSubstr(R"("title":"Not Found","status":404)"));
    client.send("DELETE /hello HTTP/1.1\r\n\r\n");
    const std::string wrong = client.read_response();
    EXPECT_THAT(wrong, StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(wrong, HasSubstr("Allow: GET, HEAD\r\n"));
    client.send("GET /things/%zz HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 400 "));
}

TEST(HttpServer, HidesTheCauseOfAFailedHandler) {
    Recorder recorder;
    const RunningServer server(make_router(), {}, nullptr, &recorder);
    RawClient client(server.port());
    client.send("GET /fail HTTP/1.1\r\n\r\n");
    const std::string response = client.read_response();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(response, Not(HasSubstr("secret")));
    client.send(kGetHello);
    EXPECT_TRUE(client.read_response().ends_with("hello")) << "the connection lives on";
    EXPECT_EQ(
        recorder.blocking_await_lines(3),
        (std::vector<std::string>{
            "exception /fail",
            "GET /fail 500 0 " + std::to_string(response.size() - response.find("\r\n\r\n") - 4),
            "GET /hello 200 0 5"}));
}

TEST(HttpServer, ReportsEachRequestToItsObserver) {
    Recorder recorder;
    const RunningServer server(make_router(), {}, nullptr, &recorder);
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcBREW /pot HTTP/1.1\r\n\r\n");
    const auto lines = recorder.blocking_await_lines(2);
    EXPECT_EQ(lines.at(0), "POST /echo 200 3 3");
    EXPECT_THAT(lines.at(1), StartsWith("OTHER unmatched 404 0 "));
}

TEST(HttpServer, PassesASaneRequestIdOnAndReplacesOthers) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("GET /hello HTTP/1.1\r\nX-Request-Id: trace-17\r\n\r\n");
    EXPECT_THAT(client.read_response(), HasSubstr("X-Request-Id: trace-17\r\n"));
    client.send("GET /hello HTTP/1.1\r\nX-Request-Id: <script>\r\n\r\n");
    EXPECT_THAT(client.read_response(), Not(HasSubstr("script")));
}

TEST(HttpServer, StreamsAnUploadLargerThanItsBuffers) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    const std::size_t size = 20'000'000;
    client.send("PUT /upload HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    client.send(std::string(size, 'x'));
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\n20000000"));
}

TEST(HttpServer, SendsContinueWhenTheHandlerWantsTheBody) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    EXPECT_TRUE(client.read_response().ends_with("\r\n\r\nabc"));
}

TEST(HttpServer, SendsNoContinueForABodyNobodyWants) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("POST /ignore HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    const std::string response = client.read_response();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK"));
    EXPECT_THAT(response, HasSubstr("Connection: close"));
}

TEST(HttpServer, ReadsALittleUnwantedBodyAndClosesOnALot) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("POST /ignore HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" + kGetHello);
    EXPECT_TRUE(client.read_response().ends_with("ignored"));
    EXPECT_TRUE(client.read_response().ends_with("hello"));
    client.send("POST /ignore HTTP/1.1\r\nContent-Length: 10000000\r\n\r\nabc");
    EXPECT_THAT(client.read_response(), HasSubstr("Connection: close"));
}

TEST(HttpServer, AnswersARefusedRequestBeforeItsBody) {
    const RunningServer server(make_router());
    RawClient silent(server.port());
    silent.send("POST /deny HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
    const std::string refusal = silent.read_response();
    EXPECT_THAT(refusal, StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(refusal, HasSubstr("Connection: close"));
    RawClient half(server.port());
    half.send("POST /deny HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
    EXPECT_THAT(half.read_response(), HasSubstr("Connection: close"));
    RawClient whole(server.port());
    whole.send("POST /deny HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" + kGetHello);
    EXPECT_THAT(whole.read_response(), StartsWith("HTTP/1.1 401 "));
    EXPECT_TRUE(whole.read_response().ends_with("hello")) << "all of it was there";
}

TEST(HttpServer, RefusesABodyThatIsTooLarge) {
    const RunningServer server(make_router());
    RawClient announced(server.port());
    announced.send("POST /echo HTTP/1.1\r\nContent-Length: 100001\r\n\r\n" +
                   std::string(100'001, 'x'));
    EXPECT_THAT(announced.read_to_end(), StartsWith("HTTP/1.1 413 "));
    RawClient chunked(server.port());
    chunked.send("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 11; ++i)
        chunked.send("2710\r\n" + std::string(10'000, 'x') + "\r\n");
    EXPECT_THAT(chunked.read_to_end(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, RefusesAHeaderThatIsTooLarge) {
    const RunningServer server(make_router(), {.max_header_bytes = 4096});
    RawClient one_line(server.port());
    one_line.send("GET /hello HTTP/1.1\r\nX: " + std::string(5000, 'x'));
    EXPECT_THAT(one_line.read_to_end(), StartsWith("HTTP/1.1 431 "));
    RawClient many_lines(server.port());
    many_lines.send("GET /hello HTTP/1.1\r\n");
    for (int i = 0; i < 200; ++i)
        many_lines.send("X-Header: " + std::string(20, 'x') + "\r\n");
    EXPECT_THAT(many_lines.read_to_end(), StartsWith("HTTP/1.1 431 "));
}

TEST(HttpServer, RefusesMalformedAndSmugglingRequests) {
    const RunningServer server(make_router());
    for (const std::string request :
         {"nonsense\r\n\r\n", "GET /hello HTTP/3.0\r\n\r\n", "GET  /hello HTTP/1.1\r\n\r\n",
          "GET /hello HTTP/1.1\r\nBad Name: x\r\n\r\n",
          "POST /echo HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
          "POST /echo HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\nabc",
          "POST /echo HTTP/1.1\r\nContent-Length: 3, 4\r\n\r\nabc",
          "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
        RawClient client(server.port());
        client.send(request);
        EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 400 ")) << request;
    }
}

TEST(HttpServer, StreamsAReplyInChunks) {
    const RunningServer server(make_router());
    RawClient client(server.port());
    client.send("GET /stream HTTP/1.1\r\n\r\n" + kGetHello);
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
    const std::string body = client.read_until("0\r\n\r\n");
    EXPECT_THAT(body, StartsWith("400\r\nxxx"));
    EXPECT_EQ(std::count(body.begin(), body.end(), 'x'), 100 * 1024);
    EXPECT_TRUE(client.read_response().ends_with("hello")) << "the connection lives on";
}

TEST(HttpServer, PutsTheHouseHeadersIntoEveryReplyThatHasNoneOfItsOwn) {
    const RunningServer server(make_router(),
                               {.reply_headers = {{"Content-Type", "x/y"}, {"X-House", "rule"}}});
    RawClient client(server.port());
    client.send(kGetHello);
    const std::string found = client.read_response();
    EXPECT_THAT(found, HasSubstr("X-House: rule\r\n"));
    EXPECT_THAT(found, ::testing::Not(HasSubstr("x/y")));
    client.send("GET /nowhere HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client.read_response(), HasSubstr("X-House: rule\r\n"));
    client.send("no request\r\n\r\n");
    EXPECT_THAT(client.read_to_end(), HasSubstr("X-House: rule\r\n"));
}

}  // namespace
}  // namespace evalfleet::http
