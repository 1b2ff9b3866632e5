#pragma once

#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace evalfleet::async {

/// A queue between coroutines that makes a fast producer wait for a slow consumer. Holds at most
/// `capacity` values; safe to use from any thread, by any number of producers and consumers.
/// `T` must be default-constructible and movable (a rule of Asio's channels).
template <class T>
class BoundedQueue {
  public:
    BoundedQueue(const boost::asio::any_io_executor& executor, std::size_t capacity)
        : channel_(executor, capacity) {}

    /// Waits while the queue is full. False if the queue is or gets closed; the value is then gone.
    /// Cancelled: throws operation_aborted, the value was not queued.
    [[nodiscard]] boost::asio::awaitable<bool> push(T value) {
        namespace asio = boost::asio;
        const auto [error] = co_await channel_.async_send(
            boost::system::error_code{}, std::move(value), asio::as_tuple(asio::use_awaitable));
        if (is_cancelled(error)) throw boost::system::system_error(asio::error::operation_aborted);
        co_return !error;
    }

    /// False if the queue is full or closed.
    [[nodiscard]] bool try_push(T value) {
        return channel_.try_send(boost::system::error_code{}, std::move(value));
    }

    /// Waits for a value. Empty once the queue is closed and everything queued before was taken.
    /// Cancelled: throws operation_aborted, no value is lost.
    [[nodiscard]] boost::asio::awaitable<std::optional<T>> pop() {
        namespace asio = boost::asio;
        auto [error, value] = co_await channel_.async_receive(asio::as_tuple(asio::use_awaitable));
        if (is_cancelled(error)) throw boost::system::system_error(asio::error::operation_aborted);
        if (error) co_return std::nullopt;
        co_return std::optional<T>(std::move(value));
    }

    /// A value if one is there now.
    [[nodiscard]] std::optional<T> try_pop() {
        std::optional<T> taken;
        channel_.try_receive([&taken](boost::system::error_code error, T value) {
            if (!error) taken = std::move(value);
        });
        return taken;
    }

    /// Takes nothing more in; consumers get what is queued, then the end.
    void close() { channel_.close(); }

  private:
    static bool is_cancelled(const boost::system::error_code& error) {
        return error == boost::asio::experimental::channel_errc::channel_cancelled ||
               error == boost::asio::error::operation_aborted;
    }

    boost::asio::experimental::concurrent_channel<void(boost::system::error_code, T)> channel_;
};

}  // namespace evalfleet::async
