#pragma once

#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace evalfleet::redis {

/// Lets one coroutine sleep until there is something to do. A notice given while nobody sleeps is
/// kept, several are one. For one strand only.
class Wakeup {
  public:
    explicit Wakeup(const boost::asio::any_io_executor& executor)
        : timer_(executor, async::kNever) {}

    void notify() {
        if (is_notified_) return;
        is_notified_ = true;
        timer_.cancel();
    }

    /// Cancelled: throws operation_aborted, and a notice that came meanwhile is kept.
    [[nodiscard]] boost::asio::awaitable<Status> wait() {
        namespace asio = boost::asio;
        if (!is_notified_) co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (!is_notified_ || cancellation.cancelled() != asio::cancellation_type::none)
            throw boost::system::system_error(asio::error::operation_aborted);
        is_notified_ = false;
        co_return Status{};
    }

  private:
    boost::asio::steady_timer timer_;
    bool is_notified_ = false;
};

}  // namespace evalfleet::redis
