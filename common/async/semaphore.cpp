#include "common/async/semaphore.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
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

Semaphore::Semaphore(const asio::any_io_executor& executor, std::size_t permits)
    : free_(executor, permits) {
    for (std::size_t i = 0; i < permits; ++i)
        release();
}

asio::awaitable<Semaphore::Permit> Semaphore::acquire() {
    const auto [error] = co_await free_.async_receive(asio::as_tuple(asio::use_awaitable));
    if (error) throw boost::system::system_error(asio::error::operation_aborted);
    co_return Permit(*this);
}

std::optional<Semaphore::Permit> Semaphore::try_acquire() {
    std::optional<Permit> permit;
    free_.try_receive([&](boost::system::error_code error) {
        if (!error) permit = Permit(*this);
    });
    return permit;
}

void Semaphore::release() noexcept {
    // Never refused: there are never more messages than permits.
    free_.try_send(boost::system::error_code{});
}

}  // namespace evalfleet::async
