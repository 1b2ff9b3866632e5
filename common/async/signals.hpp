#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>

#include <initializer_list>

namespace evalfleet::async {

/// Waits for signals of the operating system without a signal handler of ours. Signals are caught
/// from construction to destruction, so none is missed between two waits.
class SignalListener {
  public:
    SignalListener(const boost::asio::any_io_executor& executor,
                   std::initializer_list<int> signals);

    /// The number of the next signal. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<int> next();

  private:
    boost::asio::signal_set signals_;
};

/// Writing to a connection that the other side closed must be an error, not the end of the process.
/// Every `main` calls this first.
void ignore_broken_pipes() noexcept;

}  // namespace evalfleet::async
