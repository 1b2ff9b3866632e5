#include "common/async/alarm.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <utility>

namespace evalfleet::async {

namespace asio = boost::asio;

struct Alarm::State {
    State(const asio::any_io_executor& executor, std::function<void()> ring_in)
        : ring(std::move(ring_in)), timer(executor) {}

    void go_off() {
        const auto call = std::exchange(ring, nullptr);
        if (call) call();
    }

    std::function<void()> ring;        // empty once it was called or stopped
    asio::steady_timer timer;          // for the machine's clock
    asio::cancellation_signal signal;  // of the wait on another clock
};

Alarm::Alarm(Clock& clock, const asio::any_io_executor& executor, TimePoint when,
             std::function<void()> ring)
    : state_(std::make_shared<State>(executor, std::move(ring))) {
    if (dynamic_cast<SystemClock*>(&clock) != nullptr) {
        state_->timer.expires_at(when);
        state_->timer.async_wait([state = state_](const boost::system::error_code& code) {
            if (!code) state->go_off();
        });
        return;
    }
    auto end = [state = state_](const std::exception_ptr& cancelled) {
        if (!cancelled) state->go_off();
    };
    asio::co_spawn(executor, clock.wait_until(when),
                   asio::bind_cancellation_slot(state_->signal.slot(), std::move(end)));
}

Alarm::~Alarm() {
    stop();
}

void Alarm::stop() {
    if (!std::exchange(state_->ring, nullptr)) return;
    state_->timer.cancel();
    state_->signal.emit(asio::cancellation_type::terminal);
}

}  // namespace evalfleet::async
