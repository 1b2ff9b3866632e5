#pragma once

#include "common/async/clock.hpp"

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

namespace evalfleet::runs {

/// Since when each job of a run is out without a result in the log: tells the one that has waited
/// longest. Constant time for every step. Pure; the time is given.
class JobAges {
  public:
    /// A job goes out. One that goes out again keeps its age.
    void issue(std::uint64_t index, async::TimePoint now);

    /// Its result is in the log.
    void settle(std::uint64_t index);

    /// When the oldest one went out; none if none is out.
    [[nodiscard]] std::optional<async::TimePoint> oldest() const;

  private:
    struct Entry {
        std::uint64_t index = 0;
        async::TimePoint since;
    };

    std::list<Entry> entries_;  // the oldest first
    std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_index_;
};

}  // namespace evalfleet::runs
