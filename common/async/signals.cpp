#include "common/async/signals.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <csignal>

namespace evalfleet::async {

namespace asio = boost::asio;

SignalListener::SignalListener(const asio::any_io_executor& executor,
                               std::initializer_list<int> signals)
    : signals_(executor) {
    for (const int signal : signals)
        signals_.add(signal);
}

asio::awaitable<int> SignalListener::next() {
    co_return co_await signals_.async_wait(asio::use_awaitable);
}

void ignore_broken_pipes() noexcept {
    std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace evalfleet::async
