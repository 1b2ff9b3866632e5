#include "common/redis/link.hpp"

#include "common/async/deadline.hpp"
#include "common/async/run_all.hpp"
#include "common/redis/command.hpp"
#include "common/redis/server_error.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

namespace asio = boost::asio;
using Phase = ConnectionState::Phase;

Link::Link(async::Clock& clock, const Config& config, EndpointResolver& resolver,
           std::mt19937_64& random, Switchboard& switchboard, StateBoard& state,
           MetricsCounter& metrics)
    : clock_(clock),
      config_(config),
      resolver_(resolver),
      random_(random),
      switchboard_(switchboard),
      state_(state),
      metrics_(metrics),
      backoff_(config.backoff) {}

asio::awaitable<void> Link::keep_up() {
    for (;;) {
        state_.post(Phase::connecting);
        const async::TimePoint deadline = clock_.now() + config_.connect_timeout;
        auto connection =
            co_await async::with_deadline(clock_, deadline, Connection::open(config_, resolver_));
        if (connection) {
            MetricsCounter::add(metrics_.connects);
            state_.post(Phase::ready);
            const async::TimePoint ready_at = clock_.now();
            const Error cause = co_await serve(**connection);
            MetricsCounter::add(metrics_.disconnects);
            // Not at once: a server that accepts and then drops us must not be hammered.
            if (clock_.now() - ready_at >= config_.stable_after) backoff_.reset();
            state_.post(Phase::waiting, cause);
            switchboard_.on_disconnect(cause);
        } else {
            MetricsCounter::add(metrics_.connect_failures);
            state_.post(Phase::waiting, connection.error());
        }
        co_await clock_.wait_for(backoff_.next(random_));
    }
}

asio::awaitable<Error> Link::serve(Connection& connection) {
    heard_at_ = clock_.now();
    farewell_.reset();
    cause_.reset();
    switchboard_.resume_writing();
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(read(connection));
    roles.push_back(write(connection));
    roles.push_back(watch_health());
    co_await async::run_all(std::move(roles));
    co_return cause_.value_or(Error{ErrorKind::internal, "redis: the connection ended"});
}

asio::awaitable<void> Link::read(Connection& connection) {
    std::vector<Reply> replies;
    for (;;) {
        const Result<std::size_t> size = co_await connection.read(replies);
        // Replies that came before an error are good.
        for (Reply& reply : replies) {
            if (Status status = take_in(std::move(reply)); !status) {
                cause_ = status.error();
                co_return;
            }
        }
        replies.clear();
        if (!size) {
            cause_ = size.error();
            co_return;
        }
        heard_at_ = clock_.now();
        MetricsCounter::add(metrics_.bytes_read, *size);
        if (farewell_ && switchboard_.count_unanswered() == 0) {
            cause_ = farewell_;
            co_return;
        }
    }
}

Status Link::take_in(Reply reply) {
    if (reply.is_error()) {
        const Error error = classify_server_error(reply.text());
        metrics_.add_error(error.kind);
        if (says_master_moved(reply.text())) {
            farewell_ = error;
            switchboard_.pause_writing();
        }
    }
    return switchboard_.on_reply(std::move(reply));
}

asio::awaitable<void> Link::write(Connection& connection) {
    std::string wire;
    for (;;) {
        co_await switchboard_.next_batch(wire);
        const Status status = co_await connection.write(wire);
        if (!status) {
            cause_ = status.error();
            co_return;
        }
    }
}

asio::awaitable<void> Link::watch_health() {
    const auto longest_silence =
        config_.ping_interval + config_.ping_timeout + config_.longest_block;
    std::string ping;
    if (const Status status = Command("PING").append_to(ping); !status) co_return;
    for (;;) {
        co_await clock_.wait_for(config_.ping_interval);
        const auto silence = clock_.now() - heard_at_;
        if (silence >= longest_silence) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence);
            cause_ =
                Error{ErrorKind::transient, fmt::format("redis: no sign of life from the server "
                                                        "for {} s",
                                                        seconds.count())};
            co_return;
        }
        if (silence >= config_.ping_interval) switchboard_.submit_unattended(ping);
    }
}

}  // namespace evalfleet::redis
