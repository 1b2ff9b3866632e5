#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/queue/types.hpp"
#include "worker/judge/judge.hpp"
#include "worker/trial/trial_listener.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace evalfleet::worker {

/// A trial that was done.
struct FinishedTrial {
    std::string record;      ///< canonical JSON, redacted
    bool succeeded = false;  ///< the model answered and the judge could be asked
    queue::Spent spent{};    ///< by its calls
};

/// What becomes of a trial: it is done, or infrastructure was in its way and it is tried later.
using TrialResult = std::variant<FinishedTrial, queue::JobSetback>;

/// Takes one trial from its payload to its record: prompt, timed call, format check, judge, derived
/// fields, redaction. Everything but the calls runs on the pool: rendering, parsing and redaction
/// take tens of microseconds a trial and more for long texts, time in which an I/O thread would
/// not see the other calls' bytes arrive.
class TrialRunner {
  public:
    /// `environment`: where the worker runs, for its records.
    TrialRunner(ModelCaller& caller, Judge& judge, async::Clock& clock, async::BlockingPool& pool,
                WorkerMetrics& metrics, std::string environment);

    /// `invalid`: the payload is no sample. `run` and `listener` must outlive the call. Cancelled:
    /// throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<Result<TrialResult>> run(const RunContext& run,
                                                                  queue::TakenJob taken,
                                                                  TrialListener& listener);

  private:
    // A job of a run that judges stored answers: no model is called.
    [[nodiscard]] boost::asio::awaitable<Result<TrialResult>> judge_again(const RunContext& run,
                                                                          queue::TakenJob taken,
                                                                          TrialListener& listener);
    [[nodiscard]] boost::asio::awaitable<FinishedTrial> finish(const RunContext& run,
                                                               PreparedTrial& trial);
    [[nodiscard]] std::optional<queue::JobSetback> put_back(const RunContext& run,
                                                            const queue::TakenJob& taken,
                                                            const CallOutcome& outcome,
                                                            async::TimePoint first_attempt) const;

    ModelCaller& caller_;
    Judge& judge_;
    async::Clock& clock_;
    Compute compute_;
    WorkerMetrics& metrics_;
    std::string environment_;
};

}  // namespace evalfleet::worker
