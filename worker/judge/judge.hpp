#pragma once

#include "common/async/blocking_pool.hpp"
#include "worker/call/model_caller.hpp"
#include "worker/judge/verdict.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// Has answers scored by the judge's model. Reading and writing happen on the pool, calls on the
/// caller's executor.
class Judge {
  public:
    Judge(ModelCaller& caller, async::BlockingPool& pool, WorkerMetrics& metrics);

    /// Fills in the evaluator's fields of an answered trial. Both arguments must outlive the call.
    /// Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> evaluate(const RunContext& run,
                                                        PreparedTrial& trial);

  private:
    ModelCaller& caller_;
    async::BlockingPool& pool_;
    WorkerMetrics& metrics_;
};

}  // namespace evalfleet::worker
