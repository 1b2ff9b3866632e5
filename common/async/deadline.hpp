#pragma once

#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace evalfleet::async {

/// Runs `operation` until `deadline`; what is not over by then is cancelled and awaited, and the
/// result is an error of kind `timeout`. This is the one way to time something out.
///
/// - A value that arrives in spite of the deadline is returned: work that was done is not lost.
/// - An exception of the operation is rethrown at once, it does not wait for the deadline.
/// - Cancelled from outside: the operation is cancelled, and what it then says is passed on (an
///   exception `operation_aborted` as a rule), never turned into a timeout.
/// - Both run on the caller's executor, which must be a strand or run on one thread.
/// - `T` must be default-constructible (a rule of co_spawn).
template <class T>
[[nodiscard]] boost::asio::awaitable<Result<T>> with_deadline(
    Clock& clock, TimePoint deadline, boost::asio::awaitable<Result<T>> operation) {
    namespace asio = boost::asio;
    if (deadline == kNever) co_return co_await std::move(operation);

    const auto executor = co_await asio::this_coro::executor;
    auto [order, failure, result, timer_failure] =
        co_await asio::experimental::make_parallel_group(
            asio::co_spawn(executor, std::move(operation), asio::deferred),
            asio::co_spawn(executor, clock.wait_until(deadline), asio::deferred))
            .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);

    const bool deadline_passed = order[0] == 1 && !timer_failure;
    const bool has_value = !failure && result.has_value();
    if (deadline_passed && !has_value) co_return Error{ErrorKind::timeout, "deadline exceeded"};
    if (failure) std::rethrow_exception(failure);
    co_return std::move(result);
}

}  // namespace evalfleet::async
