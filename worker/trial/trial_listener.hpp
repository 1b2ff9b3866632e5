#pragma once

#include "common/job/setback.hpp"
#include "worker/call/model_caller.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// Hears of a trial while it goes on. Called on the trial's own executor.
class TrialListener : public CallListener {
  public:
    /// Infrastructure is in the way of the trial, which waits for it to pass.
    [[nodiscard]] virtual boost::asio::awaitable<void> on_setback(job::Setback setback) = 0;
};

}  // namespace evalfleet::worker
