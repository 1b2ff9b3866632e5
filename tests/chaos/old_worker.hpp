#pragma once

#include "common/queue/types.hpp"

#include <atomic>
#include <string>
#include <thread>

namespace evalfleet::chaos {

/// A worker as it was when the function library had version 4: it takes, prolongs and delivers as
/// that version did, whatever library is there, on a thread of its own. It asks no model: its
/// records are made up. When it goes it leaves one job as a worker does that is killed.
class OldWorker {
  public:
    /// The library of version 4.
    static std::string library();

    explicit OldWorker(std::string redis_url);
    OldWorker(const OldWorker&) = delete;
    OldWorker& operator=(const OldWorker&) = delete;
    ~OldWorker();

    /// Results that the queue took.
    [[nodiscard]] std::size_t count_delivered() const noexcept { return delivered_; }

  private:
    void work();
    [[nodiscard]] queue::Taken take();
    void deliver(const queue::TakenJob& job);

    const std::string redis_url_;
    std::atomic<bool> goes_ = false;
    std::atomic<std::size_t> delivered_ = 0;
    std::thread thread_;
};

}  // namespace evalfleet::chaos
