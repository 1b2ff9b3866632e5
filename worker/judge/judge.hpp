#pragma once

#include "common/async/blocking_pool.hpp"
#include "worker/call/model_caller.hpp"
#include "worker/judge/verdict.hpp"
#include "worker/trial/trial_listener.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// Has answers scored by the judge's model.
///
/// A judge that cannot be reached is asked again and again until `limits.give_up_after` has passed:
/// the answer is there and paid for, so the trial stays where it is.
class Judge {
  public:
    Judge(ModelCaller& caller, async::Clock& clock, async::BlockingPool& pool,
          WorkerMetrics& metrics);

    /// Fills in the evaluator's fields of an answered trial. All arguments must outlive the call.
    /// Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> evaluate(const RunContext& run, PreparedTrial& trial,
                                                        TrialListener& listener);

  private:
    [[nodiscard]] boost::asio::awaitable<CallOutcome> call(const RunContext& run,
                                                           const JudgeRequest& request,
                                                           PreparedTrial& trial,
                                                           TrialListener& listener);

    ModelCaller& caller_;
    async::Clock& clock_;
    Compute compute_;
    WorkerMetrics& metrics_;
};

}  // namespace evalfleet::worker
