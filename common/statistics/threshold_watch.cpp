#include "common/statistics/threshold_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evalfleet::statistics {

namespace {

// A stake never risks more than this share of the capital.
constexpr double kLargestRisk = 0.75;

}  // namespace

ThresholdWatch::ThresholdWatch(double threshold, std::uint64_t population, double alpha)
    : up_{threshold, population, std::log(2 / alpha)},
      down_{1 - threshold, population, std::log(2 / alpha)} {}

void ThresholdWatch::add(double least, double greatest) {
    up_.add(least);
    down_.add(1 - greatest);
}

ThresholdWatch::Verdict ThresholdWatch::verdict() const noexcept {
    if (up_.is_certain) return Verdict::at_least;
    if (down_.is_certain) return Verdict::below;
    return Verdict::open;
}

// Depends on earlier values only, which keeps the bet fair.
double ThresholdWatch::Bettor::stake(double expected) const {
    const auto n = static_cast<double>(count);
    const double mean = (0.5 + sum) / (n + 1);
    const double variance = (0.25 + squares) / (n + 1);
    const double edge = mean - expected;
    if (edge <= 0) return 0;
    return std::min(edge / (variance + edge * edge), kLargestRisk / expected);
}

void ThresholdWatch::Bettor::add(double value) {
    if (is_certain || count >= population) return;
    const auto left = static_cast<double>(population - count);
    // What the values that are left have on average, if the mean of all is just the threshold.
    const double expected = (threshold * static_cast<double>(population) - sum) / left;
    if (expected < 0) {
        is_certain = true;  // even zeros from here on leave it above
        return;
    }
    // Above 1 the threshold cannot be reached any more: there is nothing to bet on.
    if (expected > 0 && expected <= 1)
        log_capital += std::log1p(stake(expected) * (value - expected));
    const double old_mean = count == 0 ? 0.5 : sum / static_cast<double>(count);
    ++count;
    sum += value;
    squares += (value - old_mean) * (value - sum / static_cast<double>(count));
    is_certain =
        log_capital >= log_stake_limit || sum > threshold * static_cast<double>(population);
}

}  // namespace evalfleet::statistics
