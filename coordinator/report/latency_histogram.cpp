#include "coordinator/report/latency_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::report {

double LatencyHistogram::place_of(double milliseconds) noexcept {
    constexpr auto kEnd = static_cast<double>(kSteps);
    if (!(milliseconds > 0)) return 0;
    const double place = (std::log10(milliseconds) - kFirstDecade) * kStepsPerDecade;
    return std::clamp(place, 0.0, kEnd);
}

double LatencyHistogram::begin_of(std::size_t step) noexcept {
    return std::pow(10.0, static_cast<double>(step) / kStepsPerDecade + kFirstDecade);
}

void LatencyHistogram::add(double milliseconds) noexcept {
    ++counts_[std::min(static_cast<std::size_t>(place_of(milliseconds)), kSteps - 1)];
}

}  // namespace evalfleet::report
