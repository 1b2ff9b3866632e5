#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/job/run_spec.hpp"
#include "worker/call/attempt_result.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/call/compute.hpp"
#include "worker/call/lag_meter.hpp"
#include "worker/call/model_call.hpp"
#include "worker/call/provider_health.hpp"
#include "worker/permits/permit_keeper.hpp"
#include "worker/status/worker_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace evalfleet::worker {

/// Hears of a call while it goes on. Called on the call's own executor.
class CallListener {
  public:
    virtual ~CallListener() = default;
    /// The first request is about to be sent.
    virtual void on_dispatch() = 0;
    /// Nothing of the call is at the provider: it waits, or does so no longer.
    enum class Wait { permit, backoff };
    virtual void on_wait(Wait wait, bool begins) = 0;
};

/// Tells a listener of a wait for as long as it lives.
class [[nodiscard]] WaitScope {
  public:
    WaitScope(CallListener& listener, CallListener::Wait wait) : listener_(listener), wait_(wait) {
        listener_.on_wait(wait_, true);
    }
    WaitScope(const WaitScope&) = delete;
    WaitScope& operator=(const WaitScope&) = delete;
    ~WaitScope() { listener_.on_wait(wait_, false); }

  private:
    CallListener& listener_;
    CallListener::Wait wait_;
};

/// A call whose trial has failed before does not wait for its first permit for ever: without one by
/// `latest` it ends with the failure of before.
struct LastChance {
    async::TimePoint latest;
    CallFailure failure;
    std::optional<std::int64_t> http_status{};
};

/// Makes one measured call of a model: tries, waits, tries again, until there is an answer, an
/// error that does not pass, or no more time.
///
/// The latency runs on the monotonic clock from the dispatch of the first attempt to the last byte
/// of the last response, waits included. Responses are read after their last byte has its
/// timestamp.
///
/// - `limits.timeout` bounds the whole call; reaching it is `timed_out`. An attempt that runs out
///   of its own time as the last one is, too.
/// - A wait that would end after the whole call's time is not begun: the call fails at once as its
///   last attempt did.
/// - Every attempt needs a permit of its provider. Waiting for one is no part of the call: not of
///   its latency and not of its time, before the first attempt or before a further one. The permit
///   is kept until the response was read, since a refusal may stand in its body.
/// - Keys and tokens are put on a request when it is sent. One that the provider refuses is looked
///   up again, once in a call, and the request is made again at once if there is another.
/// - An attempt that is refused for a generation parameter which the model does not take is made
///   again at once without it, and so are all later calls of that model.
///
/// May be used from any number of coroutines, each on a strand or a single thread. Cancelled:
/// throws operation_aborted and closes the connection.
class ModelCaller {
  public:
    /// Gives numbers in [0, 1), from any thread.
    using Random = std::function<double()>;

    ModelCaller(http::Client& client, PermitKeeper& permits, async::Clock& clock,
                async::BlockingPool& pool, const LagEstimator& lag, ProviderHealth& health,
                WorkerMetrics& metrics, Random random);

    /// `listener` must outlive the call.
    [[nodiscard]] boost::asio::awaitable<CallOutcome> call(
        ModelCall call, job::CallLimits limits, CallListener& listener,
        std::optional<LastChance> chance = std::nullopt);

  private:
    struct Progress;

    [[nodiscard]] boost::asio::awaitable<bool> await_permit(const ModelCall& call,
                                                            async::TimePoint latest,
                                                            Progress& progress,
                                                            CallListener& listener);
    [[nodiscard]] boost::asio::awaitable<void> back_off(async::Duration wait, Progress& progress,
                                                        CallListener& listener);
    void enter_lost_chance(LastChance chance, Progress& progress) const;
    void enter_timing(Progress& progress) const;
    [[nodiscard]] boost::asio::awaitable<AttemptResult> attempt(ModelCall& call,
                                                                const job::CallLimits& limits,
                                                                Progress& progress);
    [[nodiscard]] boost::asio::awaitable<Status> authorize(const ModelCall& call,
                                                           http::Request& request,
                                                           Progress& progress);
    [[nodiscard]] std::optional<std::chrono::milliseconds> note_attempt(const ModelCall& call,
                                                                        AttemptResult result,
                                                                        Progress& progress);
    [[nodiscard]] boost::asio::awaitable<void> renew_credentials(const ModelCall& call,
                                                                 async::TimePoint begin,
                                                                 Progress& progress,
                                                                 AttemptResult& result);
    void excuse(async::TimePoint begin, Progress& progress) const;
    [[nodiscard]] boost::asio::awaitable<Result<WireResponse>> exchange(const ModelCall& call,
                                                                        http::Request request,
                                                                        http::CallLimits bounds,
                                                                        Progress& progress);
    [[nodiscard]] boost::asio::awaitable<AttemptResult> read(ModelCall& call,
                                                             const WireResponse& response,
                                                             AttemptTerms terms);
    [[nodiscard]] boost::asio::awaitable<bool> has_ended(const ModelCall& call,
                                                         const Progress& progress);
    [[nodiscard]] boost::asio::awaitable<Usage> read_usage(const ModelCall& call,
                                                           const WireResponse& partial);

    http::Client& client_;
    PermitKeeper& permits_;
    async::Clock& clock_;
    Compute compute_;
    const LagEstimator& lag_;
    ProviderHealth& health_;
    WorkerMetrics& metrics_;
    Random random_;
};

using http::random_fraction;

}  // namespace evalfleet::worker
