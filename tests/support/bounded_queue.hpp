#pragma once

#include "common/async/waiter.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace evalfleet::async {

/// A queue between coroutines that makes a fast producer wait for a slow consumer. Holds at most
/// `capacity` values; safe to use from any thread, by any number of producers and consumers, each
/// served in the order of their coming. Must outlive those who wait on it.
template <class T>
class BoundedQueue {
  public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}
    BoundedQueue(const BoundedQueue&) = delete;
    BoundedQueue& operator=(const BoundedQueue&) = delete;

    /// Waits while the queue is full. False if the queue is or gets closed; the value is then gone.
    /// Cancelled: throws operation_aborted, the value was not queued.
    [[nodiscard]] boost::asio::awaitable<bool> push(T value) {
        const auto executor = co_await boost::asio::this_coro::executor;
        Claim claim(executor);
        claim.value = std::move(value);
        {
            const std::lock_guard lock(mutex_);
            if (closed_) co_return false;
            if (accept(*claim.value)) co_return true;
            producers_.push_back(&claim);
        }
        co_await claim.waiter->wait();
        const std::lock_guard lock(mutex_);
        if (claim.served) co_return true;
        if (closed_) co_return false;
        producers_.remove(&claim);
        throw boost::system::system_error(boost::asio::error::operation_aborted);
    }

    /// False if the queue is full or closed; the value is then gone.
    [[nodiscard]] bool try_push(T value) {
        const std::lock_guard lock(mutex_);
        return !closed_ && accept(value);
    }

    /// Waits for a value. Empty once the queue is closed and everything queued before was taken.
    /// Cancelled: throws operation_aborted, no value is lost.
    [[nodiscard]] boost::asio::awaitable<std::optional<T>> pop() {
        const auto executor = co_await boost::asio::this_coro::executor;
        Claim claim(executor);
        {
            const std::lock_guard lock(mutex_);
            if (auto value = take()) co_return value;
            if (closed_) co_return std::nullopt;
            consumers_.push_back(&claim);
        }
        co_await claim.waiter->wait();
        const std::lock_guard lock(mutex_);
        if (claim.served || closed_) co_return std::move(claim.value);
        consumers_.remove(&claim);
        throw boost::system::system_error(boost::asio::error::operation_aborted);
    }

    /// A value if one is there now.
    [[nodiscard]] std::optional<T> try_pop() {
        const std::lock_guard lock(mutex_);
        return take();
    }

    /// Takes nothing more in; consumers get what is queued, then the end. A producer that waits for
    /// room is turned away.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        for (Claim* claim : producers_)
            claim->waiter->wake();
        for (Claim* claim : consumers_)
            claim->waiter->wake();
        producers_.clear();
        consumers_.clear();
    }

  private:
    // Somebody who waits: a producer with its value, or a consumer without. Lives in its coroutine.
    struct Claim {
        explicit Claim(const boost::asio::any_io_executor& executor)
            : waiter(std::make_shared<Waiter>(executor)) {}

        std::shared_ptr<Waiter> waiter;
        std::optional<T> value;
        bool served = false;
    };

    // Hands `value` to a waiting consumer, or queues it; false if there is no room.
    bool accept(T& value) {
        if (!consumers_.empty()) {
            Claim& consumer = serve_first(consumers_);
            consumer.value = std::move(value);
            return true;
        }
        if (values_.size() >= capacity_) return false;
        values_.push_back(std::move(value));
        return true;
    }

    std::optional<T> take() {
        if (values_.empty()) return std::nullopt;
        std::optional<T> value(std::move(values_.front()));
        values_.pop_front();
        if (!producers_.empty()) values_.push_back(std::move(*serve_first(producers_).value));
        return value;
    }

    static Claim& serve_first(std::list<Claim*>& claims) {
        Claim& claim = *claims.front();
        claims.pop_front();
        claim.served = true;
        claim.waiter->wake();
        return claim;
    }

    std::mutex mutex_;  // guards the members below
    const std::size_t capacity_;
    bool closed_ = false;
    std::deque<T> values_;
    std::list<Claim*> producers_;
    std::list<Claim*> consumers_;
};

}  // namespace evalfleet::async
