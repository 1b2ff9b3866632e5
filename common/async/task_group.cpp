#include "common/async/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <utility>
#include <vector>

namespace evalfleet::async {

namespace asio = boost::asio;

namespace {

bool is_cancellation(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
        return error.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

}  // namespace

TaskGroup::TaskGroup(const asio::any_io_executor& executor, OnFailure on_failure)
    : executor_(executor), on_failure_(std::move(on_failure)) {}

bool TaskGroup::spawn(asio::awaitable<void> task) {
    auto holder = gate_.try_enter();
    if (!holder) return false;
    const auto signal = signals_.emplace(signals_.end());
    asio::co_spawn(
        executor_, std::move(task),
        asio::bind_cancellation_slot(
            signal->slot(), [this, signal, inside = std::move(*holder)](
                                const std::exception_ptr& failure) { finished(signal, failure); }));
    return true;
}

void TaskGroup::finished(Signals::iterator signal, std::exception_ptr failure) {
    signals_.erase(signal);
    if (failure && !(cancelled_ && is_cancellation(failure))) on_failure_(std::move(failure));
}

void TaskGroup::cancel() {
    cancelled_ = true;
    gate_.stop_intake();
    // A task that ends at once takes its signal out of the list while we walk over it: step ahead
    // first.
    for (auto next = signals_.begin(); next != signals_.end();) {
        auto& signal = *next++;
        signal.emit(asio::cancellation_type::terminal);
    }
}

asio::awaitable<void> TaskGroup::join() {
    co_await gate_.close();
}

}  // namespace evalfleet::async
