#include "common/statistics/block_test.hpp"

#include "common/statistics/resampling.hpp"
#include "common/statistics/sequential_p_value.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace evalfleet::statistics {

double BlockTest::Block::difference(double part_sum) const noexcept {
    return part_sum / static_cast<double>(part) - (sum - part_sum) / static_cast<double>(rest);
}

void BlockTest::add_block(std::span<const double> part, std::span<const double> rest) {
    if (part.empty() || rest.empty()) return;
    const double sum = std::accumulate(part.begin(), part.end(), 0.0) +
                       std::accumulate(rest.begin(), rest.end(), 0.0);
    blocks_.push_back({values_.size(), part.size(), rest.size(), sum});
    values_.insert(values_.end(), part.begin(), part.end());
    values_.insert(values_.end(), rest.begin(), rest.end());
}

// The sum of the blocks' differences after the part was drawn anew in each. The order that the last
// draw left does not matter.
double BlockTest::rearranged(std::vector<double>& values, std::uint64_t key) const {
    double sum = 0;
    std::uint64_t drawn = 0;
    for (const Block& block : blocks_) {
        double* const first = values.data() + block.begin;
        const std::size_t size = block.part + block.rest;
        double part_sum = 0;
        for (std::size_t i = 0; i < block.part; ++i) {
            std::swap(first[i], first[i + draw(key, drawn++, size - i)]);
            part_sum += first[i];
        }
        sum += block.difference(part_sum);
    }
    return sum;
}

// Of the sum of differences. A mean of s values drawn from k without replacement has the variance
// S^2 (1 / s - 1 / k), and the difference is k / (k - s) times its distance from the mean of all.
double BlockTest::variance() const {
    double total = 0;
    for (const Block& block : blocks_) {
        const auto part = static_cast<double>(block.part);
        const auto rest = static_cast<double>(block.rest);
        const double size = part + rest;
        double squares = 0;
        for (std::size_t i = 0; i < block.part + block.rest; ++i) {
            const double from_mean = values_[block.begin + i] - block.sum / size;
            squares += from_mean * from_mean;
        }
        const double factor = size / rest;
        total += squares / (size - 1) * (1 / part - 1 / size) * factor * factor;
    }
    return total;
}

SplitTest BlockTest::run(const SplitPlan& plan) const {
    if (blocks_.empty()) return {};
    double seen = 0;
    double size = 0;
    for (const Block& block : blocks_) {
        const auto* const first = values_.data() + block.begin;
        const double difference = block.difference(std::accumulate(first, first + block.part, 0.0));
        seen += difference;
        size += std::fabs(difference);
    }
    SplitTest result{seen / static_cast<double>(blocks_.size()), 1};
    const double spread = variance();
    if (spread <= 0) return result;
    if (blocks_.size() > kMostRearranged) {
        result.p_value = std::erfc(std::fabs(seen) / std::sqrt(2 * spread));
        return result;
    }
    // Rearrangements that differ only by rounding are equally far out.
    constexpr double kRounding = 1e-12;
    const double limit = std::fabs(seen) - kRounding * size;
    std::vector<double> values = values_;
    result.p_value = sequential_p_value(plan.rearrangements, [&](std::uint64_t i) {
        return std::fabs(rearranged(values, replicate_key(plan.seed, i))) >= limit;
    });
    return result;
}

}  // namespace evalfleet::statistics
