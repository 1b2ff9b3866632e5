#include "common/redis/state.hpp"

#include "common/async/deadline.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;

namespace {

/// What waiting does not cure.
bool is_refusal(ErrorKind kind) noexcept {
    return kind == ErrorKind::denied || kind == ErrorKind::tls || kind == ErrorKind::invalid;
}

/// Whether there is an answer already to who waits for a ready connection.
std::optional<Status> verdict(const ConnectionState& state) {
    using Phase = ConnectionState::Phase;
    if (state.phase == Phase::ready) return Status{};
    if (state.phase == Phase::stopped)
        return Status{Error{ErrorKind::cancelled, "redis: the client has stopped"}};
    const bool has_failed = state.phase == Phase::waiting && state.last_error;
    if (has_failed && is_refusal(state.last_error->kind)) return Status{*state.last_error};
    return std::nullopt;
}

}  // namespace

std::string_view to_string(ConnectionState::Phase phase) noexcept {
    switch (phase) {
        case ConnectionState::Phase::waiting:
            return "waiting";
        case ConnectionState::Phase::connecting:
            return "connecting";
        case ConnectionState::Phase::ready:
            return "ready";
        case ConnectionState::Phase::stopped:
            return "stopped";
    }
    return "unknown";
}

ConnectionState StateBoard::read() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

asio::awaitable<ConnectionState> StateBoard::changed_since(std::uint64_t seen) {
    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<async::Waiter>(executor);
    {
        const std::lock_guard lock(mutex_);
        if (state_.version != seen) co_return state_;
        waiters_.push_back(waiter);
    }
    co_await waiter->wait();
    const std::lock_guard lock(mutex_);
    if (state_.version != seen) co_return state_;
    std::erase(waiters_, waiter);
    throw boost::system::system_error(asio::error::operation_aborted);
}

asio::awaitable<Status> StateBoard::wait_for_change(std::uint64_t seen) {
    (void)co_await changed_since(seen);
    co_return Status{};
}

asio::awaitable<Status> StateBoard::ready(async::Clock& clock, async::TimePoint deadline) {
    for (;;) {
        const ConnectionState state = read();
        if (const auto answer = verdict(state)) co_return *answer;
        Status waited =
            co_await async::with_deadline(clock, deadline, wait_for_change(state.version));
        if (waited) continue;
        if (!state.last_error) co_return waited;
        co_return waited.error().within("redis: not connected: " + state.last_error->message);
    }
}

void StateBoard::post(ConnectionState::Phase phase, std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    state_.phase = phase;
    if (error) state_.last_error = std::move(error);
    if (phase == ConnectionState::Phase::ready) ++state_.connects;
    ++state_.version;
    for (const auto& waiter : waiters_)
        waiter->wake();
    waiters_.clear();
}

}  // namespace evalfleet::redis
