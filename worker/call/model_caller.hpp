#pragma once

#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/job/run_spec.hpp"
#include "worker/call/attempt_verdict.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/providers/provider_set.hpp"
#include "worker/status/worker_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace evalfleet::worker {

/// Makes one measured call of a model: tries, waits, tries again, until there is a response, an
/// error that does not pass, or no more time.
///
/// The latency runs on the monotonic clock from the dispatch of the first attempt to the last byte
/// of the last response, waits included. Nothing of a 2xx response is read here, so that nothing
/// stands between its arrival and its timestamp; `interpret` does that, elsewhere.
///
/// - `limits.timeout` bounds the whole call; reaching it is `timed_out`. An attempt that runs out
///   of its own time as the last one is, too.
/// - A wait that would end after the whole call's time is not begun: the call fails at once as its
///   last attempt did.
///
/// May be used from any number of coroutines, each on a strand or a single thread. Cancelled:
/// throws operation_aborted and closes the connection.
class ModelCaller {
  public:
    /// Gives numbers in [0, 1), from any thread.
    using Random = std::function<double()>;

    ModelCaller(http::Client& client, async::Clock& clock, WorkerMetrics& metrics, Random random);

    /// `request` is one of the provider's protocol. The provider must outlive the call.
    [[nodiscard]] boost::asio::awaitable<RawCall> call(const Provider& provider,
                                                       http::Request request,
                                                       job::CallLimits limits);

  private:
    struct Progress;

    [[nodiscard]] boost::asio::awaitable<AttemptVerdict> attempt(const Provider& provider,
                                                                 const http::Request& request,
                                                                 const job::CallLimits& limits,
                                                                 Progress& progress);

    http::Client& client_;
    async::Clock& clock_;
    WorkerMetrics& metrics_;
    Random random_;
};

/// A generator of its own for each thread.
[[nodiscard]] double random_fraction();

}  // namespace evalfleet::worker
