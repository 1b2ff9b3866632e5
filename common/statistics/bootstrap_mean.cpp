#include "common/statistics/bootstrap_mean.hpp"

#include "common/statistics/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evalfleet::statistics {
namespace {

// Generous against the roundings of the few operations that it stands for, each up to 1.2e-16.
constexpr double kRoundingSlack = 1e-14;

}  // namespace

struct BootstrapMean::ClusterSums {
    std::vector<double> sums;
    std::vector<std::uint32_t> counts;
    double largest_magnitude = 0;  ///< of the sum of magnitudes of a cluster
    double least_value = std::numeric_limits<double>::infinity();
    double most_value = -std::numeric_limits<double>::infinity();
    bool whole = true;  ///< every value is a whole number that is not negative
};

BootstrapMean::BootstrapMean(ClusterBootstrap::ValueOf value,
                             std::span<const std::uint32_t> cluster_begin)
    : value_(std::move(value)), cluster_begin_(cluster_begin) {
    ClusterSums clusters = sum_clusters();
    const bool one_value = clusters.least_value == clusters.most_value;
    const auto [fewest, most] = std::ranges::minmax(clusters.counts);
    constant_ = one_value && fewest == most;
    quantize(clusters);
    counts_ = std::move(clusters.counts);
}

void BootstrapMean::attach(WeightedSums& sums) {
    count_column_ = sums.add(std::exchange(counts_, {}));
    sum_column_ = sums.add(std::exchange(steps_, {}));
}

BootstrapMean::ClusterSums BootstrapMean::sum_clusters() {
    ClusterSums result;
    const std::size_t clusters = cluster_begin_.size() - 1;
    result.sums.reserve(clusters);
    result.counts.reserve(clusters);
    for (std::size_t i = 0; i < clusters; ++i) {
        double sum = 0;
        double magnitude = 0;
        std::uint32_t count = 0;
        for (std::size_t row = cluster_begin_[i]; row < cluster_begin_[i + 1]; ++row) {
            const double value = value_(row);
            if (std::isnan(value)) continue;
            sum += value;
            magnitude += std::fabs(value);
            ++count;
            result.least_value = std::min(result.least_value, value);
            result.most_value = std::max(result.most_value, value);
            result.whole = result.whole && value >= 0 && value == std::floor(value);
        }
        result.sums.push_back(sum);
        result.counts.push_back(count);
        result.largest_magnitude = std::max(result.largest_magnitude, magnitude);
    }
    return result;
}

void BootstrapMean::quantize(const ClusterSums& clusters) {
    constexpr auto kSteps = static_cast<double>(WeightedSums::kValueLimit - 1);
    const auto [least, most] = std::ranges::minmax(clusters.sums);
    exact_ = clusters.whole && most <= kSteps;
    if (!exact_) {
        offset_ = least;
        step_ = (most - least) / kSteps;
    }
    // Clusters that are all but equal need no steps.
    if (!std::isfinite(1 / step_)) step_ = 0;
    const double steps_per_unit = step_ > 0 ? 1 / step_ : 0;
    steps_.reserve(clusters.sums.size());
    for (const double sum : clusters.sums) {
        // How well this rounds is measured, not assumed.
        const double position = std::min((sum - offset_) * steps_per_unit + 0.5, kSteps);
        const auto rounded = static_cast<std::uint32_t>(position);
        error_ = std::max(error_, std::fabs(sum - (offset_ + rounded * step_)));
        steps_.push_back(rounded);
    }
    error_ += clusters.largest_magnitude * kRoundingSlack;
}

Approximation BootstrapMean::approximate(std::span<const std::uint64_t> sums) const noexcept {
    const auto count = static_cast<double>(sums[count_column_]);
    if (count == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const auto steps = static_cast<double>(sums[sum_column_]);
    if (exact_) return {steps / count, 0};
    const auto draws = static_cast<double>(sums[WeightedSums::kOnes]);
    const double base = offset_ * draws;
    const double rest = step_ * steps;
    const double radius = error_ * draws + (std::fabs(base) + std::fabs(rest)) * kRoundingSlack;
    return {(base + rest) / count, radius / count * (1 + kRoundingSlack)};
}

double BootstrapMean::evaluate(std::span<const std::uint32_t> multiplicity) const {
    ExactSum sum;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i + 1 < cluster_begin_.size(); ++i) {
        if (multiplicity[i] == 0) continue;
        for (std::size_t row = cluster_begin_[i]; row < cluster_begin_[i + 1]; ++row) {
            const double value = value_(row);
            if (std::isnan(value)) continue;
            sum.add(value, multiplicity[i]);
            count += multiplicity[i];
        }
    }
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    return sum.value() / static_cast<double>(count);
}

}  // namespace evalfleet::statistics
