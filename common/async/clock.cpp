#include "common/async/clock.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace evalfleet::async {

namespace asio = boost::asio;

TimePoint SystemClock::now() const noexcept {
    return std::chrono::steady_clock::now();
}

std::chrono::system_clock::time_point SystemClock::utc_now() const noexcept {
    return std::chrono::system_clock::now();
}

asio::awaitable<void> SystemClock::wait_until(TimePoint when) {
    asio::steady_timer timer(co_await asio::this_coro::executor, when);
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace evalfleet::async
