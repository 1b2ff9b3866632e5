#pragma once

#include "common/queue/types.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace evalfleet::worker {

/// A job in our hands. The executor's coroutine works on it, on the job's own strand; the
/// heartbeater, on a thread of its own, is told what becomes of its lease. Held by shared_ptr,
/// since either may be the last to know it.
class HeldJob : public std::enable_shared_from_this<HeldJob> {
  public:
    /// `strand`: for this job alone, or an executor that runs on one thread.
    HeldJob(queue::JobRef ref, boost::asio::any_io_executor strand);

    [[nodiscard]] const queue::JobRef& ref() const noexcept { return ref_; }
    [[nodiscard]] const boost::asio::any_io_executor& strand() const noexcept { return strand_; }

    /// Where the job's coroutine listens. On the strand only.
    [[nodiscard]] boost::asio::cancellation_slot slot() noexcept { return signal_.slot(); }

    /// The work is done, only its end is to be told: `stop_work` does nothing from now on, and the
    /// job cannot be lost any more. On the strand only.
    void begin_settling() noexcept { settling_ = true; }

    /// It waits with nothing at a provider, or does so no longer. On the strand only.
    void set_waiting(bool waits) noexcept { waiting_ = waits; }
    /// Its model has answered. On the strand only.
    void set_answered() noexcept { answered_ = true; }
    /// Its judge is away. On the strand only.
    void set_set_back() noexcept { set_back_ = true; }
    /// As `stop_work`, if it waits for a judge that is away. From any thread, at any time.
    void stop_if_set_back();
    /// As `stop_work`, if it waits and has no answer yet: nothing that was paid for is lost. From
    /// any thread, at any time.
    void stop_if_waiting();

    /// Asks the job's coroutine to stop working. From any thread, at any time.
    void stop_work();
    /// Asks the job's coroutine to end, whatever it does. From any thread, at any time.
    void cancel();

    /// Redis does not know the job as ours any more: it is somebody else's by now, unless its end
    /// is being told, which is what a heartbeat sees that overlaps it; then nothing is lost. True
    /// the first time that it is. From any thread.
    bool mark_lost() noexcept { return !settling_ && !lost_.exchange(true); }
    [[nodiscard]] bool is_lost() const noexcept { return lost_.load(); }

    /// The run was cancelled: stops the work. True the first time. From any thread.
    bool stop_for_run();

  private:
    const queue::JobRef ref_;
    const boost::asio::any_io_executor strand_;
    boost::asio::cancellation_signal signal_;  // touched on the strand only
    bool waiting_ = false;                     // likewise
    bool answered_ = false;                    // likewise
    bool set_back_ = false;                    // likewise
    std::atomic<bool> settling_ = false;
    std::atomic<bool> lost_ = false;
    std::atomic<bool> stopped_for_run_ = false;
};

/// All jobs in our hands, for executor and heartbeater. Safe to use from any thread.
class HeldJobs {
  public:
    using Jobs = std::vector<std::shared_ptr<HeldJob>>;

    void add(std::shared_ptr<HeldJob> job);
    void remove(const std::shared_ptr<HeldJob>& job);
    [[nodiscard]] Jobs all() const;
    [[nodiscard]] std::size_t size() const;

  private:
    mutable std::mutex mutex_;  // guards jobs_
    std::unordered_set<std::shared_ptr<HeldJob>> jobs_;
};

}  // namespace evalfleet::worker
