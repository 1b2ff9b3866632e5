#include "common/statistics/threshold_watch.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {

namespace {

// A stake never risks more than this share of the capital.
constexpr double kLargestRisk = 0.75;
constexpr double kRounding = 1e-9;

using Verdict = ThresholdWatch::Verdict;

Verdict watch(std::span<const WatchedValue> values, double threshold, std::uint64_t population,
              double alpha) {
    ThresholdWatch watch(threshold, population, alpha);
    for (const WatchedValue& value : values)
        watch.add(value);
    return watch.verdict();
}

}  // namespace

ThresholdWatch::ThresholdWatch(double threshold, std::uint64_t population, double alpha)
    : up_{threshold, population, std::log(2 / alpha)},
      down_{1 - threshold, population, std::log(2 / alpha)} {
    up_.is_settled = up_.is_certain = threshold <= 0;
    down_.is_settled = down_.is_certain = threshold > 1;
}

void ThresholdWatch::add(const WatchedValue& value) {
    up_.add(value.least + value.neutral * up_.threshold);
    down_.add(1 - (value.greatest + value.neutral * up_.threshold));
}

Verdict ThresholdWatch::verdict() const noexcept {
    if (up_.is_certain == down_.is_certain) return Verdict::open;
    return up_.is_certain ? Verdict::at_least : Verdict::below;
}

bool ThresholdWatch::is_settled() const noexcept {
    return up_.is_settled || down_.is_settled;
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
    if (is_settled || count >= population) return;
    const auto left = static_cast<double>(population - count);
    // What the values that are left have on average, if the mean of all is just the threshold.
    const double expected = (threshold * static_cast<double>(population) - sum) / left;
    // Above 1 the threshold cannot be reached any more: there is nothing to bet on.
    if (expected > 0 && expected <= 1)
        log_capital += std::log1p(stake(expected) * (value - expected));
    const double old_mean = count == 0 ? 0.5 : sum / static_cast<double>(count);
    ++count;
    sum += value;
    squares += (value - old_mean) * (value - sum / static_cast<double>(count));
    // Even with zeros from here on; sums of neutral values are rounded.
    const auto all = static_cast<double>(population);
    is_settled = sum - threshold * all > kRounding * all;
    is_certain = is_certain || is_settled || log_capital >= log_stake_limit;
}

Interval always_valid_interval(std::span<const WatchedValue> values, std::uint64_t population,
                               double alpha) {
    constexpr double kResolution = 1e-6;
    // Between a threshold that `verdict` was given about and one that it was not.
    const auto limit = [&](double decided, double open, Verdict verdict) {
        while (std::abs(open - decided) > kResolution) {
            const double middle = (decided + open) / 2;
            (watch(values, middle, population, alpha) == verdict ? decided : open) = middle;
        }
        return decided;
    };
    double sum = 0;
    double weight = 0;
    for (const WatchedValue& value : values) {
        sum += (value.least + value.greatest) / 2;
        weight += 1 - value.neutral;
    }
    const double mean = weight > 0 ? std::clamp(sum / weight, 0.0, 1.0) : 0.5;
    return {limit(0, mean, Verdict::at_least), limit(1, mean, Verdict::below)};
}

}  // namespace evalfleet::statistics
