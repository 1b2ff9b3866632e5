#include "common/queue/pool_queue.hpp"

#include "common/queue/decode.hpp"

#include <string>
#include <utility>
#include <vector>

namespace evalfleet::queue {

namespace asio = boost::asio;

PoolQueue::PoolQueue(redis::FunctionLibrary& functions, Keys keys)
    : functions_(functions), keys_(std::move(keys)) {}

asio::awaitable<Result<Reaped>> PoolQueue::reap(std::size_t limit, async::TimePoint deadline) {
    std::vector<std::string> arguments{std::to_string(limit)};
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_reap", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_reaped(*reply);
}

asio::awaitable<Result<PoolStats>> PoolQueue::stats(async::TimePoint deadline) {
    std::vector<std::string> arguments;
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_stats", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_stats(*reply);
}

}  // namespace evalfleet::queue
