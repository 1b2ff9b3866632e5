#include "common/http/event_stream.hpp"
#include "tests/integration/http/client_fixture.hpp"
#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/bounded_queue.hpp"

#include <boost/asio/post.hpp>

#include <atomic>

namespace evalfleet::http {
namespace {

namespace asio = boost::asio;
using testing::HttpImposter;
using testing::Script;

struct Outcome {
    std::vector<Event> events;
    std::optional<Error> error;
};

asio::awaitable<Outcome> read_events(Client& client, Request request, CallLimits limits) {
    Outcome outcome;
    auto response = co_await client.open(std::move(request), limits);
    if (!response) {
        outcome.error = response.error();
        co_return outcome;
    }
    EventStream stream(std::move(*response));
    for (;;) {
        auto event = co_await stream.next();
        if (!event) outcome.error = event.error();
        if (!event || !*event) co_return outcome;
        outcome.events.push_back(std::move(**event));
    }
}

using EventStreamTest = HttpClientTest;

const std::string kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_F(EventStreamTest, GivesEventsOutAndKeepsTheConnection) {
    HttpImposter server(
        {Script()
             .read_request()
             .drip(kHead + "b\r\ndata: one\r\n\r\n3\r\n\ndata: two\n\n\r\n0\r\n\r\n")
             .hang(),
         Script()
             .read_request()
             .drip(kHead + "9\r\ndata: one\r\nd\r\n\n\ndata: two\n\n\r\n0\r\n\r\n")
             .hang()});
    const auto malformed =
        testing::run(context_, read_events(client(), get(server.url()), limits()));
    EXPECT_EQ(malformed.error->kind, ErrorKind::invalid);
    const auto outcome = testing::run(context_, read_events(client(), get(server.url()), limits()));
    ASSERT_FALSE(outcome.error) << outcome.error->message;
    EXPECT_EQ(outcome.events, (std::vector<Event>{{"", "one", ""}, {"", "two", ""}}));
    EXPECT_EQ(client().count_idle_connections(), 1U);
}

TEST_F(EventStreamTest, ReportsAStreamThatIsCut) {
    HttpImposter server({Script().read_request().send(kHead + "d\r\ndata: one\n\nda\r\n")});
    const auto outcome = testing::run(context_, read_events(client(), get(server.url()), limits()));
    EXPECT_EQ(outcome.events, (std::vector<Event>{{"", "one", ""}}));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->kind, ErrorKind::transient);
}

/// What the test puts into it goes out as events.
class QueuedEvents final : public EventSource {
  public:
    QueuedEvents(async::BoundedQueue<Event>& queue, std::atomic<int>& alive)
        : queue_(queue), alive_(alive) {
        ++alive_;
    }
    ~QueuedEvents() override { --alive_; }
    asio::awaitable<std::optional<Event>> next() override { return queue_.pop(); }

  private:
    async::BoundedQueue<Event>& queue_;
    std::atomic<int>& alive_;
};

class ServedEvents : public HttpClientTest {
  protected:
    Router make_router() {
        Router router;
        router.add("GET", "/events", [this](RequestContext&) { return subscribe(); });
        return router;
    }
    asio::awaitable<Reply> subscribe() {
        co_return Reply::events(std::make_unique<QueuedEvents>(queue_, alive_),
                                std::chrono::seconds(15));
    }

    async::BoundedQueue<Event> queue_{16};
    std::atomic<int> alive_ = 0;
};

TEST_F(ServedEvents, ReachTheClient) {
    const RunningServer server(make_router());
    ASSERT_TRUE(queue_.try_push({"progress", "1\n2", "7"}));
    ASSERT_TRUE(queue_.try_push({"", "done", ""}));
    queue_.close();
    const auto outcome =
        testing::run(context_, read_events(client(), get(server.url("/events")), limits()));
    ASSERT_FALSE(outcome.error) << outcome.error->message;
    EXPECT_EQ(outcome.events, (std::vector<Event>{{"progress", "1\n2", "7"}, {"", "done", "7"}}));
}

TEST_F(ServedEvents, ComeWithHeartbeatsWhenItIsQuiet) {
    testing::ManualClock clock;
    const RunningServer server(make_router(), {}, &clock);
    RawClient client(server.port());
    client.send("GET /events HTTP/1.1\r\n\r\n");
    static_cast<void>(client.read_until("\r\n\r\n"));
    for (int i = 0; i < 2; ++i) {
        auto beat = std::async(std::launch::async, [&] { return client.read_until(":\n\n\r\n"); });
        while (beat.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
            clock.advance(std::chrono::seconds(1));
        }
        EXPECT_EQ(beat.get(), "3\r\n:\n\n\r\n");
    }
    ASSERT_TRUE(queue_.try_push({"", "still here", ""}));
    EXPECT_TRUE(client.read_until("still here\n\n").ends_with("data: still here\n\n"));
}

TEST_F(ServedEvents, StopWhenTheClientGoesAway) {
    RunningServer server(make_router());
    {
        RawClient client(server.port());
        client.send("GET /events HTTP/1.1\r\n\r\n");
        static_cast<void>(client.read_until("\r\n\r\n"));
        EXPECT_EQ(alive_, 1);
    }
    while (server.count_connections() > 0)
        std::this_thread::yield();
    EXPECT_EQ(alive_, 0);
}

}  // namespace
}  // namespace evalfleet::http
