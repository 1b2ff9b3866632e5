#pragma once

#include "common/async/clock.hpp"
#include "common/async/notifier.hpp"
#include "common/log/logger.hpp"
#include "common/queue/permit_queue.hpp"
#include "worker/permits/limit_keys.hpp"
#include "worker/permits/permit_desk.hpp"
#include "worker/permits/permit_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// What a call leaves behind for the correction of its estimate.
struct PermitReceipt {
    PermitDesk* desk = nullptr;
    std::optional<Charge> charge;
    CallPurpose purpose = CallPurpose::answer;
    bool waited = false;  ///< for room
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
    void settle(CallEnd end);

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

    /// `providers`: the names of all that may be called.
    PermitKeeper(async::Clock& clock, queue::PermitQueue& queue, LimitKeys keys,
                 const std::vector<std::string>& providers, queue::WindowTerms terms,
                 metrics::Registry& registry, Random random, log::Logger logger);
    PermitKeeper(const PermitKeeper&) = delete;
    PermitKeeper& operator=(const PermitKeeper&) = delete;
    ~PermitKeeper();

    /// Talks to Redis until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Waits for a permit, however long it takes: for a call that has begun before those that have
    /// not. The provider must be a known one. The caller's executor must be a strand or run on one
    /// thread. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<Permit> acquire(std::string provider, std::string model,
                                                         CallNeeds needs);

    /// What the provider says a call took.
    static void correct(const PermitReceipt& receipt, std::int64_t input_tokens,
                        std::int64_t output_tokens);

    /// Gives everything back that is not in use and lets nobody start any more. While `run` goes
    /// on; returns when Redis knows, at `deadline` at the latest.
    [[nodiscard]] boost::asio::awaitable<void> close(async::TimePoint deadline);

    /// Brings the gauges up to date.
    void collect();

  private:
    [[nodiscard]] boost::asio::awaitable<void> attend(PermitDesk& desk);
    [[nodiscard]] PermitDesk& desk_of(const std::string& provider, const std::string& model);
    [[nodiscard]] PermitDesk& open_desk(const queue::LimitKey& key);
    [[nodiscard]] std::vector<PermitDesk*> take_unattended();
    void report(PermitDesk& desk, bool& is_failing, const std::optional<Error>& error) const;

    async::Clock& clock_;
    queue::PermitQueue& queue_;
    const LimitKeys keys_;
    queue::WindowTerms terms_;
    Random random_;
    log::Logger logger_;
    std::map<std::string, PermitMetrics, std::less<>> metrics_;  // by provider
    async::Notifier opened_;

    std::mutex mutex_;                                          // guards the members below
    std::map<std::string, std::unique_ptr<PermitDesk>> desks_;  // by limit key
    std::map<std::string, std::set<PermitDesk*>> used_by_;      // by provider
    std::vector<PermitDesk*> unattended_;
};

}  // namespace evalfleet::worker
