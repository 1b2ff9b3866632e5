#pragma once

#include "common/async/gate.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <functional>
#include <list>

namespace evalfleet::async {

/// Owns coroutines that are started one by one and run on their own, such as the sessions of a
/// server. Nothing in it is ever forgotten: an exception goes to `on_failure`, and `join()` awaits
/// them all. (`asio::detached`, the other way to start such a coroutine, hides its exceptions.)
///
/// Every function but the constructor must be called on `executor`, which must be a strand or run
/// on one thread. Must be joined before it is destroyed, unless nothing was started.
class TaskGroup {
  public:
    /// Gets what a task threw; an `operation_aborted` after `cancel()` is the normal end of a task
    /// and is not reported.
    using OnFailure = std::function<void(std::exception_ptr)>;

    TaskGroup(const boost::asio::any_io_executor& executor, OnFailure on_failure);

    /// Starts `task`. False, and the task is not started, once the group is cancelled or joined.
    bool spawn(boost::asio::awaitable<void> task);

    /// Asks every task to stop and takes no new one in.
    void cancel();

    /// Takes no new task in and completes when the last one ended.
    /// Cancelled: throws operation_aborted; the tasks go on.
    [[nodiscard]] boost::asio::awaitable<void> join();

    [[nodiscard]] std::size_t size() const { return gate_.count_inside(); }

  private:
    using Signals = std::list<boost::asio::cancellation_signal>;

    void finished(Signals::iterator signal, std::exception_ptr failure);

    boost::asio::any_io_executor executor_;
    OnFailure on_failure_;
    Signals signals_;  // one a running task
    bool cancelled_ = false;
    Gate gate_;
};

}  // namespace evalfleet::async
