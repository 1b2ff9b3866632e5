#include "common/redis/connection.hpp"

#include "common/redis/greeting.hpp"

#include <optional>
#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;

asio::awaitable<Result<std::unique_ptr<Connection>>> Connection::open(const Config& config,
                                                                      EndpointResolver& resolver) {
    const Result<Endpoint> endpoint = co_await resolver.resolve();
    if (!endpoint) co_return endpoint.error();
    auto transport = co_await Transport::open(*endpoint, config.tls);
    if (!transport) co_return transport.error();
    auto connection = std::make_unique<Connection>(std::move(*transport), config.reply_limits);
    const Status status = co_await connection->greet(config);
    if (!status) co_return status.error().within(to_string(*endpoint));
    co_return connection;
}

asio::awaitable<Status> Connection::greet(const Config& config) {
    const Greeting greeting(config);
    const Result<std::string> wire = greeting.wire();
    if (!wire) co_return wire.error();
    if (Status status = co_await write(*wire); !status) co_return status;

    std::vector<Reply> replies;
    while (replies.size() < greeting.count_replies()) {
        const Result<std::size_t> size = co_await read(replies);
        // Judged first: a server that refuses us says why before it closes.
        if (Status status = greeting.check(replies); !status) co_return status;
        if (!size) co_return size.error();
    }
    co_return Status{};
}

asio::awaitable<Result<std::size_t>> Connection::read(std::vector<Reply>& replies) {
    const Result<std::size_t> size = co_await transport_->read_some(asio::buffer(buffer_));
    if (!size) co_return size.error();
    if (Status status = reader_.feed({buffer_.data(), *size}); !status) co_return status.error();
    for (;;) {
        Result<std::optional<Reply>> reply = reader_.next();
        if (!reply) co_return reply.error();
        if (!*reply) co_return *size;
        replies.push_back(std::move(**reply));
    }
}

asio::awaitable<Status> Connection::write(std::string_view wire) {
    return transport_->write(asio::buffer(wire.data(), wire.size()));
}

}  // namespace evalfleet::redis
