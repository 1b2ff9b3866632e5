#pragma once

#include "common/async/alarm.hpp"
#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
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
    const auto state = co_await asio::this_coro::cancellation_state;
    asio::cancellation_signal stop;
    bool deadline_passed = false;
    Alarm alarm(clock, executor, deadline, [&stop, &deadline_passed] {
        deadline_passed = true;
        stop.emit(asio::cancellation_type::terminal);
    });
    asio::cancellation_slot outside = state.slot();
    if (outside.is_connected()) {
        outside.assign([&stop, &alarm](asio::cancellation_type type) {
            alarm.stop();
            stop.emit(type);
        });
    }
    std::optional<Result<T>> result;
    std::exception_ptr failure;
    try {
        result.emplace(co_await asio::co_spawn(
            executor, std::move(operation),
            asio::bind_cancellation_slot(stop.slot(), asio::use_awaitable)));
    } catch (...) {
        failure = std::current_exception();
    }
    if (outside.is_connected()) outside.clear();
    const bool has_value = result && result->has_value();
    if (deadline_passed && !has_value) co_return Error{ErrorKind::timeout, "deadline exceeded"};
    if (failure) std::rethrow_exception(failure);
    co_return *std::move(result);
}

}  // namespace evalfleet::async
