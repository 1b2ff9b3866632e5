#pragma once

#include "common/http/problem.hpp"
#include "common/http/router.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace evalfleet::http {

inline boost::asio::awaitable<Reply> hello(RequestContext&) {
    co_return Reply::text("hello");
}

inline boost::asio::awaitable<Reply> show_parameter(RequestContext& request) {
    std::string text = request.parameter("id");
    for (const auto& [name, value] : request.query)
        text.append(";").append(name + "=" + value);
    co_return Reply::text(text);
}

inline boost::asio::awaitable<Reply> echo(RequestContext& request) {
    const auto body = co_await request.body->read_all();
    if (!body) co_return to_problem(body.error()).to_reply();
    co_return Reply::text(*body);
}

inline boost::asio::awaitable<Reply> count_bytes(RequestContext& request) {
    std::size_t total = 0;
    for (;;) {
        const auto part = co_await request.body->read();
        if (!part) co_return to_problem(part.error()).to_reply();
        if (!*part) co_return Reply::text(std::to_string(total));
        total += (*part)->size();
    }
}

inline boost::asio::awaitable<Reply> ignore_body(RequestContext&) {
    co_return Reply::text("ignored");
}

inline boost::asio::awaitable<Reply> fail(RequestContext&) {
    throw std::runtime_error("the secret of the database");
    co_return Reply();
}

/// Writes `pieces` pieces of a kilobyte.
class Pieces final : public BodyProducer {
  public:
    explicit Pieces(int pieces) : pieces_(pieces) {}
    boost::asio::awaitable<Status> produce(BodyWriter& writer) override {
        const std::string piece(1024, 'x');
        for (int i = 0; i < pieces_; ++i) {
            if (const Status written = co_await writer.write(piece); !written) co_return written;
        }
        co_return Status{};
    }

  private:
    int pieces_;
};

inline boost::asio::awaitable<Reply> stream_pieces(RequestContext&) {
    co_return Reply::stream("application/octet-stream", std::make_unique<Pieces>(100));
}

inline boost::asio::awaitable<Reply> stream_endlessly(RequestContext&) {
    co_return Reply::stream("application/octet-stream",
                            std::make_unique<Pieces>(std::numeric_limits<int>::max()));
}

/// Never answers by itself.
inline boost::asio::awaitable<Reply> hold(RequestContext&) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                    std::chrono::steady_clock::time_point::max());
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_return Reply();
}

/// Says no without a look at the body.
inline boost::asio::awaitable<Reply> deny(RequestContext&) {
    co_return Problem{.status = 401, .detail = "a token is needed"}.to_reply();
}

/// One route of each kind.
inline Router make_router() {
    Router router;
    router.add("GET", "/hello", hello);
    router.add("GET", "/things/{id}", show_parameter);
    router.add("POST", "/echo", echo, {.max_body_bytes = 100'000});
    router.add("PUT", "/upload", count_bytes, {.max_body_bytes = 64 * 1024 * 1024});
    router.add("POST", "/ignore", ignore_body, {.max_body_bytes = 64 * 1024 * 1024});
    router.add("GET", "/fail", fail);
    router.add("GET", "/hold", hold);
    router.add("GET", "/alive", hello, {.is_probe = true});
    router.add("POST", "/deny", deny);
    router.add("GET", "/stream", stream_pieces);
    router.add("GET", "/endless", stream_endlessly);
    return router;
}

}  // namespace evalfleet::http
