#pragma once

#include "common/async/clock.hpp"
#include "common/queue/permit_queue.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::runs {

/// Calls that providers refused of late, by limit key. Redis counts them from the beginning; how
/// many are of the last minute shows who looks every second. Pure: the caller brings the time.
class RecentRefusals {
  public:
    static constexpr std::chrono::seconds kSpan{60};

    struct Figures {
        std::uint64_t calls = 0;
        std::chrono::seconds span{0};  ///< that they are of: less than a minute after a start
    };

    void observe(const std::vector<queue::LimitStats>& limits, async::TimePoint now);

    /// As of the last look; nothing is known of a key that was not seen then.
    [[nodiscard]] Figures of(const std::string& key) const;

  private:
    struct Look {
        async::TimePoint at;
        std::uint64_t total;
    };

    void enter(const queue::LimitStats& limit, async::TimePoint now);

    std::map<std::string, std::deque<Look>> looks_;
    bool has_looked_ = false;
};

/// `12 calls refused in the last minute`. Pure.
[[nodiscard]] std::string to_text(const RecentRefusals::Figures& figures);

}  // namespace evalfleet::runs
