#include "common/async/semaphore.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace evalfleet::async {

namespace asio = boost::asio;

Semaphore::Permit::Permit(Permit&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}

Semaphore::Permit& Semaphore::Permit::operator=(Permit&& other) noexcept {
    std::swap(owner_, other.owner_);
    return *this;
}

Semaphore::Permit::~Permit() {
    if (owner_ != nullptr) owner_->release();
}

asio::awaitable<Semaphore::Permit> Semaphore::acquire() {
    if (auto permit = try_acquire()) co_return std::move(*permit);
    Claim claim;
    const auto executor = co_await asio::this_coro::executor;
    claim.waiter = std::make_shared<Waiter>(executor);
    {
        const std::lock_guard lock(mutex_);
        if (free_ > 0) {
            --free_;
            co_return Permit(*this);
        }
        queue_.push_back(&claim);
    }
    co_await claim.waiter->wait();
    const std::lock_guard lock(mutex_);
    // A permit that was granted just before a cancellation is ours to give back.
    if (claim.granted) co_return Permit(*this);
    queue_.remove(&claim);
    throw boost::system::system_error(asio::error::operation_aborted);
}

std::optional<Semaphore::Permit> Semaphore::try_acquire() {
    const std::lock_guard lock(mutex_);
    if (free_ == 0) return std::nullopt;
    --free_;
    return Permit(*this);
}

void Semaphore::lend() {
    release();
}

void Semaphore::take_back() {
    const std::lock_guard lock(mutex_);
    if (free_ > 0) {
        --free_;
    } else {
        ++owed_;
    }
}

void Semaphore::release() noexcept {
    const std::lock_guard lock(mutex_);
    if (owed_ > 0) {
        --owed_;
        return;
    }
    if (queue_.empty()) {
        ++free_;
        return;
    }
    Claim& next = *queue_.front();
    queue_.pop_front();
    next.granted = true;
    next.waiter->wake();
}

}  // namespace evalfleet::async
