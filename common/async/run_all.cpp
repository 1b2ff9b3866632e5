#include "common/async/run_all.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <stdexcept>

namespace evalfleet::async {

namespace asio = boost::asio;

asio::awaitable<std::size_t> run_all(std::vector<asio::awaitable<void>> roles) {
    if (roles.empty()) throw std::logic_error("run_all needs at least one role");

    const auto executor = co_await asio::this_coro::executor;
    auto start = [&executor](asio::awaitable<void> role) {
        return asio::co_spawn(executor, std::move(role), asio::deferred);
    };
    std::vector<decltype(start(std::move(roles.front())))> operations;
    operations.reserve(roles.size());
    for (auto& role : roles)
        operations.push_back(start(std::move(role)));

    auto [order, failures] =
        co_await asio::experimental::make_parallel_group(std::move(operations))
            .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);

    const std::size_t first = order.front();
    if (failures[first]) std::rethrow_exception(failures[first]);
    co_return first;
}

}  // namespace evalfleet::async
