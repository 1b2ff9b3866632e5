#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace evalfleet::http {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kGetHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

/// A server on a clock that the test moves.
class HttpServerDeadline : public ::testing::Test {
  protected:
    /// Moves the clock on until the server closes the connection.
    std::string read_to_end_as_time_goes_by(RawClient& client) {
        auto answer = std::async(std::launch::async, [&] { return client.read_to_end(); });
        while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
            clock_.advance(seconds(1));
        }
        return answer.get();
    }

    testing::ManualClock clock_;
    RunningServer server_{make_router(),
                          {.header_timeout = seconds(10),
                           .idle_timeout = seconds(60),
                           .transfer_grace = seconds(20),
                           .min_bytes_per_second = 1000},
                          &clock_};
};

TEST_F(HttpServerDeadline, EndsAConnectionThatNeverAsks) {
    RawClient client(server_.port());
    EXPECT_EQ(read_to_end_as_time_goes_by(client), "");
}

TEST_F(HttpServerDeadline, EndsAHeaderThatDoesNotEnd) {
    RawClient client(server_.port());
    client.send("GET /hello HTTP/1.1\r\nX-Slow: ");
    EXPECT_THAT(read_to_end_as_time_goes_by(client), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpServerDeadline, EndsAnIdleConnection) {
    RawClient client(server_.port());
    client.send(kGetHello);
    EXPECT_TRUE(client.read_response().ends_with("hello"));
    EXPECT_EQ(read_to_end_as_time_goes_by(client), "");
}

TEST_F(HttpServerDeadline, EndsABodyThatIsTooSlow) {
    RawClient client(server_.port());
    client.send("PUT /upload HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("a little");
    const std::string answer = read_to_end_as_time_goes_by(client);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 408 "));
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST_F(HttpServerDeadline, EndsAReplyThatNobodyReads) {
    RawClient client(server_.port());
    client.send("GET /endless HTTP/1.1\r\n\r\n");
    static_cast<void>(client.read_until("\r\n\r\n"));
    // It fills the buffers of the kernel and then waits for us; we do not read.
    clock_.blocking_await_sleepers(1);
    while (server_.count_connections() > 0) {
        clock_.advance(seconds(1));
        std::this_thread::yield();
    }
}

TEST_F(HttpServerDeadline, FinishesWhatIsUnderWayWhenItCloses) {
    RawClient busy(server_.port());
    busy.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(busy.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    RawClient idle(server_.port());
    idle.send(kGetHello);
    EXPECT_TRUE(idle.read_response().ends_with("hello"));

    server_.begin_close(seconds(30));
    EXPECT_EQ(idle.read_to_end(), "");
    EXPECT_THROW(RawClient(server_.port()), std::runtime_error);
    busy.send("abc");
    const std::string answer = busy.read_response();
    EXPECT_TRUE(answer.ends_with("abc"));
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
    busy.close();
    server_.blocking_join();
}

TEST_F(HttpServerDeadline, CancelsWhatDoesNotEndInTimeWhenItCloses) {
    RawClient busy(server_.port());
    busy.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(busy.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    server_.begin_close(seconds(5));
    clock_.blocking_await_sleepers(2);
    clock_.advance(seconds(5));
    server_.blocking_join();
    EXPECT_EQ(busy.read_to_end(), "");
}

}  // namespace
}  // namespace evalfleet::http
