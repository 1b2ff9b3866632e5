#pragma once

#include "common/async/clock.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>

namespace evalfleet::async {

/// Calls `ring` once at `when` by `clock`, on `executor`, unless it was stopped before: a timer for
/// whoever is busy with something else meanwhile. A coroutine that waits beside another one does
/// the same, but has to be started, and ended by an exception, for each deadline that is kept.
///
/// Made, stopped and destroyed on `executor`, which must be a strand or run on one thread. `clock`
/// must outlive what `executor` has to do.
class Alarm {
  public:
    Alarm(Clock& clock, const boost::asio::any_io_executor& executor, TimePoint when,
          std::function<void()> ring);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    /// From now on it does not ring. Any number of times.
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;  // shared with what is still to be called
};

}  // namespace evalfleet::async
