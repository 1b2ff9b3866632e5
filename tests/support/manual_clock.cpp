#include "tests/support/manual_clock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>

namespace evalfleet::testing {

namespace asio = boost::asio;

struct ManualClock::Sleeper {
    Sleeper(const asio::any_io_executor& executor, async::TimePoint when)
        : due(when), timer(executor, async::kNever) {}

    async::TimePoint due;
    std::atomic<bool> woken = false;
    asio::steady_timer timer;
};

async::TimePoint ManualClock::now() const noexcept {
    const std::lock_guard lock(mutex_);
    return now_;
}

std::chrono::system_clock::time_point ManualClock::utc_now() const noexcept {
    using std::chrono::system_clock;
    return system_clock::time_point(
        std::chrono::duration_cast<system_clock::duration>(now().time_since_epoch()));
}

asio::awaitable<void> ManualClock::wait_until(async::TimePoint when) {
    const auto executor = co_await asio::this_coro::executor;
    const auto sleeper = std::make_shared<Sleeper>(executor, when);
    std::list<std::shared_ptr<Sleeper>>::iterator place;
    {
        const std::lock_guard lock(mutex_);
        if (when <= now_) co_return;
        place = sleepers_.insert(sleepers_.end(), sleeper);
        changed_.notify_all();
    }
    co_await sleeper->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    {
        const std::lock_guard lock(mutex_);
        sleepers_.erase(place);
        changed_.notify_all();
    }
    if (!sleeper->woken) throw boost::system::system_error(asio::error::operation_aborted);
}

void ManualClock::advance(async::Duration step) {
    const std::lock_guard lock(mutex_);
    now_ += step;
    for (const auto& sleeper : sleepers_) {
        if (sleeper->due > now_ || sleeper->woken.exchange(true)) continue;
        // On the sleeper's own executor, so that the wait has begun when it is ended.
        asio::post(sleeper->timer.get_executor(), [sleeper] { sleeper->timer.cancel(); });
    }
}

void ManualClock::blocking_await_sleepers(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sleepers_.size() >= count; });
}

std::size_t ManualClock::count_sleepers() const {
    const std::lock_guard lock(mutex_);
    return sleepers_.size();
}

}  // namespace evalfleet::testing
