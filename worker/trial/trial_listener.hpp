#pragma once

#include "common/job/setback.hpp"
#include "worker/call/model_caller.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// Hears of a trial while it goes on. Called on the trial's own executor.
class TrialListener : public CallListener {
  public:
    /// The model has answered: what is done so far is paid for.
    virtual void on_answer() = 0;
    /// Infrastructure is in the way of the trial, which waits for it to pass.
    [[nodiscard]] virtual boost::asio::awaitable<void> on_setback(job::Setback setback) = 0;
};

}  // namespace evalfleet::worker
