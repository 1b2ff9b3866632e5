#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::traces {

/// A record that waits to be told.
struct WaitingRecord {
    std::string record;  ///< JSON
    std::chrono::system_clock::time_point arrived;
};

/// Records between the run and the collector of traces. Bounded: a collector that is slow or away
/// costs traces, never the run's time or the coordinator's memory. One thread at a time.
class TraceBuffer {
  public:
    struct Limits {
        std::size_t records = 8192;
        std::size_t bytes = std::size_t{32} << 20;
    };

    explicit TraceBuffer(Limits limits) : limits_(limits) {}

    /// False, and nothing is kept, if it is full.
    [[nodiscard]] bool put(std::string_view record, std::chrono::system_clock::time_point arrived);

    /// Up to `count` of them, the oldest first.
    [[nodiscard]] std::vector<WaitingRecord> take(std::size_t count);

    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

  private:
    Limits limits_;
    std::deque<WaitingRecord> waiting_;
    std::size_t bytes_ = 0;
};

}  // namespace evalfleet::traces
