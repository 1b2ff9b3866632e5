#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/queue/types.hpp"
#include "worker/judge/judge.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace evalfleet::worker {

/// A trial that was done.
struct FinishedTrial {
    std::string record;      ///< canonical JSON, redacted
    bool succeeded = false;  ///< the model answered and the judge could be asked
    queue::Spent spent{};    ///< by its calls
};

/// Takes one trial from its payload to its record: prompt, timed call, format check, judge, derived
/// fields, redaction. Everything but the calls runs on the pool: rendering, parsing and redaction
/// take tens of microseconds a trial and more for long texts, time in which an I/O thread would
/// not see the other calls' bytes arrive.
class TrialRunner {
  public:
    TrialRunner(ModelCaller& caller, Judge& judge, async::BlockingPool& pool,
                WorkerMetrics& metrics);

    /// `invalid`: the payload is no sample. `run` must outlive the call. Cancelled: throws
    /// operation_aborted.
    [[nodiscard]] boost::asio::awaitable<Result<FinishedTrial>> run(const RunContext& run,
                                                                    queue::TakenJob taken);

  private:
    // A job of a run that judges stored answers: no model is called.
    [[nodiscard]] boost::asio::awaitable<Result<FinishedTrial>> judge_again(const RunContext& run,
                                                                            queue::TakenJob taken);

    ModelCaller& caller_;
    Judge& judge_;
    async::BlockingPool& pool_;
    WorkerMetrics& metrics_;
};

}  // namespace evalfleet::worker
