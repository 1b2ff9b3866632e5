#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace evalfleet::report {

/// How latencies spread, in constant memory: eight steps to a factor of ten, from a tenth of a
/// millisecond to a day.
class LatencyHistogram {
  public:
    static constexpr std::size_t kStepsPerDecade = 8;
    static constexpr int kFirstDecade = -1;  ///< 0.1 ms
    static constexpr std::size_t kSteps = 9 * kStepsPerDecade;

    void add(double milliseconds) noexcept;

    [[nodiscard]] const std::array<std::uint64_t, kSteps>& counts() const noexcept {
        return counts_;
    }
    /// Where a step begins, in milliseconds.
    [[nodiscard]] static double begin_of(std::size_t step) noexcept;
    /// The place of a latency on the axis of steps; what lies outside is at an end.
    [[nodiscard]] static double place_of(double milliseconds) noexcept;

  private:
    std::array<std::uint64_t, kSteps> counts_{};
};

}  // namespace evalfleet::report
