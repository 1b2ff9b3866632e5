#include "common/async/waiter.hpp"

#include "common/async/clock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace evalfleet::async {

namespace asio = boost::asio;

Waiter::Waiter(const asio::any_io_executor& executor) : timer_(executor, kNever) {}

asio::awaitable<void> Waiter::wait() {
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

void Waiter::wake() {
    // Moving the expiry ends a wait that has begun and one that is about to begin.
    asio::post(timer_.get_executor(),
               [self = shared_from_this()] { self->timer_.expires_at(TimePoint::min()); });
}

}  // namespace evalfleet::async
