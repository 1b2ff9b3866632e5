#include "common/http/reply.hpp"

#include "common/async/deadline.hpp"

#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

class EventProducer final : public BodyProducer {
  public:
    EventProducer(std::unique_ptr<EventSource> source, std::chrono::milliseconds heartbeat)
        : source_(std::move(source)), heartbeat_(heartbeat) {}

    asio::awaitable<Status> produce(BodyWriter& writer) override {
        for (;;) {
            async::Clock& clock = writer.clock();
            const auto event =
                co_await async::with_deadline(clock, clock.now() + heartbeat_, next());
            const bool is_quiet = !event && event.error().kind == ErrorKind::timeout;
            if (!event && !is_quiet) co_return event.error();
            if (event && !*event) co_return Status{};
            const std::string bytes = is_quiet ? std::string(kSseHeartbeat) : encode_event(**event);
            if (const Status written = co_await writer.write(bytes); !written) co_return written;
        }
    }

  private:
    asio::awaitable<Result<std::optional<Event>>> next() { co_return co_await source_->next(); }

    std::unique_ptr<EventSource> source_;
    std::chrono::milliseconds heartbeat_;
};

Reply with_body(std::string content_type, std::string body) {
    Reply reply;
    reply.headers.set("Content-Type", std::move(content_type));
    reply.body = std::move(body);
    return reply;
}

}  // namespace

Reply Reply::text(std::string body) {
    return with_body("text/plain; charset=utf-8", std::move(body));
}

Reply Reply::html(std::string body) {
    return with_body("text/html; charset=utf-8", std::move(body));
}

Reply Reply::json(std::string body, int status) {
    Reply reply = with_body("application/json", std::move(body));
    reply.status = status;
    return reply;
}

Reply Reply::empty(int status) {
    Reply reply;
    reply.status = status;
    return reply;
}

Reply Reply::hang_up() {
    return empty(0);
}

Reply Reply::reset() {
    Reply reply = hang_up();
    reply.is_reset = true;
    return reply;
}

Reply Reply::stream(std::string content_type, std::unique_ptr<BodyProducer> producer) {
    Reply reply = with_body(std::move(content_type), {});
    reply.producer = std::move(producer);
    return reply;
}

Reply Reply::events(std::unique_ptr<EventSource> source, std::chrono::milliseconds heartbeat) {
    Reply reply =
        stream("text/event-stream", std::make_unique<EventProducer>(std::move(source), heartbeat));
    reply.headers.set("Cache-Control", "no-store");
    return reply;
}

}  // namespace evalfleet::http
