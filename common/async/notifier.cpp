#include "common/async/notifier.hpp"

#include "common/async/deadline.hpp"

#include <boost/asio/this_coro.hpp>

namespace evalfleet::async {

namespace asio = boost::asio;

namespace {

asio::awaitable<Status> as_status(asio::awaitable<void> operation) {
    co_await std::move(operation);
    co_return Status();
}

}  // namespace

void Notifier::notify_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& waiter : waiters_)
        waiter->wake();
    waiters_.clear();
}

asio::awaitable<void> Notifier::wait_for_notice() {
    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<Waiter>(executor);
    {
        const std::lock_guard lock(mutex_);
        waiters_.push_back(waiter);
    }
    co_await waiter->wait();
    const std::lock_guard lock(mutex_);
    std::erase(waiters_, waiter);
}

asio::awaitable<void> Notifier::wait(Clock& clock, TimePoint deadline) {
    // Coming too late is one of the two ways to end, not an error.
    (void)co_await with_deadline(clock, deadline, as_status(wait_for_notice()));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace evalfleet::async
