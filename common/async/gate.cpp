#include "common/async/gate.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
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
    // Everything under the lock: once it is released, a closer may destroy the gate.
    const std::lock_guard lock(mutex_);
    --inside_;
    wake_if_drained();
}

void Gate::stop_intake() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_if_drained();
}

void Gate::wake_if_drained() {
    if (!closed_ || inside_ != 0) return;
    for (const auto& closer : closers_)
        closer->wake();
    closers_.clear();
}

asio::awaitable<void> Gate::close() {
    stop_intake();
    const auto executor = co_await asio::this_coro::executor;
    const auto closer = std::make_shared<Waiter>(executor);
    {
        const std::lock_guard lock(mutex_);
        if (inside_ == 0) co_return;
        closers_.push_back(closer);
    }
    co_await closer->wait();
    const std::lock_guard lock(mutex_);
    if (inside_ == 0) co_return;
    std::erase(closers_, closer);
    throw boost::system::system_error(asio::error::operation_aborted);
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
