#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace evalfleet::testing {

/// Runs `coroutine` on `context` until nothing is left to do, and returns its value or rethrows.
/// Throws std::logic_error if the context ran dry before the coroutine ended.
template <class T>
T run(boost::asio::io_context& context, boost::asio::awaitable<T> coroutine) {
    std::optional<T> value;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr thrown, T result) {
        failure = std::move(thrown);
        value = std::move(result);
    });
    context.restart();
    context.run();
    if (failure) std::rethrow_exception(failure);
    if (!value) throw std::logic_error("the coroutine did not end");
    return std::move(*value);
}

inline void run(boost::asio::io_context& context, boost::asio::awaitable<void> coroutine) {
    bool ended = false;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
        ended = true;
    });
    context.restart();
    context.run();
    if (failure) std::rethrow_exception(failure);
    if (!ended) throw std::logic_error("the coroutine did not end");
}

/// The same on a context of its own.
template <class T>
T run(boost::asio::awaitable<T> coroutine) {
    boost::asio::io_context context(1);
    return run(context, std::move(coroutine));
}

}  // namespace evalfleet::testing
