#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::bench {

/// What is measured of a run.
enum class Metric {
    rate,            ///< trials a second that got their verdict
    ratio,           ///< that rate, as a share of the fault-free run's
    used,            ///< of the server's own limit
    refused,         ///< share of calls that got 429, 503 or 529
    failed,          ///< trials without answer or verdict, other than those that had to be
    lost,            ///< trials recorded as `worker_lost`
    false_timeouts,  ///< time-outs of calls that the server would have answered
    latency,         ///< median of the measured latency, in units of the true service time
    recovery,        ///< seconds from the end of an outage to 90 % of the rate before it
    pace,            ///< calls of the judge for each of the model, answered by half time
    named,           ///< 1 if the bad worker is named in what the fleet says, else 0
    wall,            ///< seconds
};

struct MetricInfo {
    Metric metric;
    const char* name;
    int decimals;
};

inline constexpr std::array<MetricInfo, 12> kMetrics{{
    {Metric::rate, "rate", 1},
    {Metric::ratio, "ratio", 2},
    {Metric::used, "used", 2},
    {Metric::refused, "refused", 3},
    {Metric::failed, "failed", 0},
    {Metric::lost, "lost", 0},
    {Metric::false_timeouts, "false_timeouts", 0},
    {Metric::latency, "latency", 2},
    {Metric::recovery, "recovery", 1},
    {Metric::pace, "pace", 2},
    {Metric::named, "named", 0},
    {Metric::wall, "wall", 1},
}};

/// The values of a run, or of several; nothing where a metric does not apply or was not to be had.
class Measured {
  public:
    [[nodiscard]] std::optional<double>& operator[](Metric metric) {
        return values_[static_cast<std::size_t>(metric)];
    }
    [[nodiscard]] const std::optional<double>& operator[](Metric metric) const {
        return values_[static_cast<std::size_t>(metric)];
    }

  private:
    std::array<std::optional<double>, kMetrics.size()> values_;
};

/// Each metric's median over all rounds; nothing if one of them has no value.
[[nodiscard]] Measured median_of(const std::vector<Measured>& rounds);

/// One part of a scenario's target.
struct Check {
    enum class Bound { at_least, at_most };
    Metric metric;
    Bound bound;
    double value;

    /// What has no value does not hold.
    [[nodiscard]] bool holds(const Measured& measured) const;
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::string format(const MetricInfo& info, const std::optional<double>& value);

}  // namespace evalfleet::bench
