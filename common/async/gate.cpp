#include "common/async/gate.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <cassert>
#include <utility>

namespace evalfleet::async {

namespace asio = boost::asio;

Gate::Holder::Holder(Holder&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}

Gate::Holder& Gate::Holder::operator=(Holder&& other) noexcept {
    std::swap(gate_, other.gate_);
    return *this;
}

Gate::Holder::~Holder() {
    if (gate_ != nullptr) gate_->leave();
}

Gate::Gate(const asio::any_io_executor& executor) : drained_(executor) {}

Gate::~Gate() {
    assert(inside_ == 0 && "a gate was destroyed with somebody inside");
}

std::optional<Gate::Holder> Gate::try_enter() {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::nullopt;
    ++inside_;
    return Holder(*this);
}

void Gate::leave() {
    // Closing under the lock: afterwards a waiter may destroy the gate.
    const std::lock_guard lock(mutex_);
    --inside_;
    if (closed_ && inside_ == 0) drained_.close();
}

void Gate::stop_intake() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (inside_ == 0) drained_.close();
}

asio::awaitable<void> Gate::close() {
    stop_intake();
    const auto [error] = co_await drained_.async_receive(asio::as_tuple(asio::use_awaitable));
    // Nothing is ever sent: the channel either closes, or the wait was cancelled.
    const bool everybody_out = error == asio::experimental::channel_errc::channel_closed;
    if (!everybody_out) throw boost::system::system_error(asio::error::operation_aborted);
}

bool Gate::is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

std::size_t Gate::count_inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
}

}  // namespace evalfleet::async
