#include "common/statistics/variance_components.hpp"

#include "common/statistics/moments.hpp"

#include <algorithm>
#include <numeric>

namespace evalfleet::statistics {

std::optional<double> VarianceComponents::between() const {
    if (!within) return std::nullopt;
    return std::max(0.0, of_means - *within * inverse_repeats);
}

std::optional<double> VarianceComponents::with_repeats_times(double factor) const {
    if (!within) return std::nullopt;
    return *between() + *within * inverse_repeats / factor;
}

void VarianceSplitter::add_sample(std::span<const double> repeats) {
    if (repeats.empty()) return;
    const auto count = static_cast<double>(repeats.size());
    const double middle = std::accumulate(repeats.begin(), repeats.end(), 0.0) / count;
    for (const double value : repeats)
        squares_within_ += (value - middle) * (value - middle);
    degrees_within_ += repeats.size() - 1;
    inverse_repeats_ += 1 / count;
    means_.push_back(middle);
}

std::optional<VarianceComponents> VarianceSplitter::components() const {
    const auto deviation = sample_stddev(means_);
    if (!deviation) return std::nullopt;
    VarianceComponents components;
    components.samples = means_.size();
    components.mean = *mean(means_);
    components.of_means = *deviation * *deviation;
    components.inverse_repeats = inverse_repeats_ / static_cast<double>(means_.size());
    if (degrees_within_ > 0)
        components.within = squares_within_ / static_cast<double>(degrees_within_);
    return components;
}

}  // namespace evalfleet::statistics
