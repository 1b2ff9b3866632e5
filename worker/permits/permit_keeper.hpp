#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/permit_queue.hpp"
#include "worker/permits/permit_desk.hpp"
#include "worker/permits/permit_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// What a call leaves behind for the correction of its estimate.
struct PermitReceipt {
    PermitDesk* desk = nullptr;
    std::optional<Charge> charge;
    CallPurpose purpose = CallPurpose::answer;
};

/// The right to make one attempt of one call now. Move-only. One that is dropped without a word, as
/// when its call is cancelled, counts as used.
class [[nodiscard]] Permit {
  public:
    Permit() noexcept = default;
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&& other) noexcept;
    ~Permit();

    /// The attempt is over.
    void settle(const CallEnd& end);

    [[nodiscard]] const PermitReceipt& receipt() const noexcept { return receipt_; }

  private:
    friend class PermitKeeper;
    Permit(PermitReceipt receipt, PermitMetrics* metrics, async::Clock& clock) noexcept;

    PermitReceipt receipt_;
    PermitMetrics* metrics_ = nullptr;
    async::Clock* clock_ = nullptr;
};

/// Gets this worker's calls their permits: no attempt of a call, be it a model's or a judge's, is
/// made without one. Limits are the whole fleet's; Redis counts, docs/design/limits.md tells how.
/// Without Redis calls under way go on, and new ones start only as long as what we hold is still
/// ours.
///
/// All functions but `run` and `close` may be called from any thread. Must outlive its permits and
/// receipts.
class PermitKeeper {
  public:
    /// Gives numbers in [0, 1), from any thread.
    using Random = std::function<double()>;
    /// By the names of the providers.
    using Keys = std::map<std::string, queue::LimitKey, std::less<>>;

    PermitKeeper(async::Clock& clock, queue::PermitQueue& queue, const Keys& keys,
                 queue::WindowTerms terms, metrics::Registry& registry, Random random,
                 log::Logger logger);
    PermitKeeper(const PermitKeeper&) = delete;
    PermitKeeper& operator=(const PermitKeeper&) = delete;
    ~PermitKeeper();

    /// Talks to Redis until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Waits for a permit, however long it takes. The provider must be one of `keys`. The caller's
    /// executor must be a strand or run on one thread. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<Permit> acquire(std::string_view provider,
                                                         CallNeeds needs);
    /// The same until `deadline`: `timeout`.
    [[nodiscard]] boost::asio::awaitable<Result<Permit>> acquire_until(std::string provider,
                                                                       CallNeeds needs,
                                                                       async::TimePoint deadline);

    /// What the provider says a call took.
    static void correct(const PermitReceipt& receipt, std::int64_t input_tokens,
                        std::int64_t output_tokens);

    /// Gives everything back that is not in use and lets nobody start any more. While `run` goes
    /// on; returns when Redis knows, at `deadline` at the latest.
    [[nodiscard]] boost::asio::awaitable<void> close(async::TimePoint deadline);

    /// Brings the gauges up to date.
    void collect();

  private:
    struct Counter;  // what one provider's calls go to

    [[nodiscard]] boost::asio::awaitable<void> attend(PermitDesk& desk);
    [[nodiscard]] boost::asio::awaitable<Result<Permit>> acquire_result(std::string provider,
                                                                        CallNeeds needs);
    void report(const PermitDesk& desk, bool& is_failing, const std::optional<Error>& error) const;

    async::Clock& clock_;
    queue::PermitQueue& queue_;
    queue::WindowTerms terms_;
    Random random_;
    log::Logger logger_;
    std::map<std::string, std::unique_ptr<PermitDesk>> desks_;               // by limit key
    std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters_;  // by provider
};

}  // namespace evalfleet::worker
