#include "common/queue/run_claim.hpp"

#include "common/queue/decode.hpp"

#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

std::string text_of(const redis::Reply& reply) {
    return reply.type() == redis::Reply::Type::string ? reply.text() : std::string();
}

}  // namespace

asio::awaitable<Result<RunClaim>> read_claim(redis::Client& client, Keys keys, std::string run,
                                             async::TimePoint deadline) {
    redis::Command read("HMGET", keys.run(run), "epoch", "state", "owner");
    const auto reply = co_await client.execute(std::move(read), deadline);
    if (!reply) co_return reply.error();
    if (reply->type() != redis::Reply::Type::array || reply->items().size() != 3)
        co_return Error{ErrorKind::invalid, "Redis gave an answer that makes no sense"};
    const auto& items = reply->items();
    RunClaim claim;
    claim.epoch = parse_index(text_of(items[0])).value_or(0);
    claim.state = text_of(items[1]);
    claim.owner = text_of(items[2]);
    co_return claim;
}

}  // namespace evalfleet::queue
