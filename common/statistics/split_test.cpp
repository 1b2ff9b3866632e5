#include "common/statistics/split_test.hpp"

#include "common/statistics/moments.hpp"
#include "common/statistics/resampling.hpp"
#include "common/statistics/sequential_p_value.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace evalfleet::statistics {
namespace {

constexpr std::uint64_t kMostDraws = 20'000'000;  // of one test: a tenth of a second
// Rearrangements that differ only by rounding are equally far out.
constexpr double kRounding = 1e-9;

struct Sums {
    double sum = 0;
    double squares = 0;

    void add(double value) noexcept {
        sum += value;
        squares += value * value;
    }
    [[nodiscard]] double variance(double count) const noexcept {
        return (squares - sum * sum / count) / (count - 1);
    }
};

// The difference between a part and the rest in standard errors, squared.
class Statistic {
  public:
    Statistic(const Sums& all, std::size_t units, std::size_t part)
        : all_(all),
          part_(static_cast<double>(part)),
          rest_(static_cast<double>(units - part)),
          least_variance_(all.variance(static_cast<double>(units))) {}

    [[nodiscard]] double of(const Sums& part) const noexcept {
        const Sums rest{all_.sum - part.sum, all_.squares - part.squares};
        const double difference = part.sum / part_ - rest.sum / rest_;
        const double variance = std::max(least_variance_, part.variance(part_)) / part_ +
                                std::max(least_variance_, rest.variance(rest_)) / rest_;
        return difference * difference / variance;
    }

    // Bernstein's bound of the p-value, which holds for drawing without replacement too (Hoeffding
    // 1963). A part is at most as far out as its mean is from that of all units, counted in the
    // standard errors of the least variance.
    [[nodiscard]] double bound(double statistic, double farthest) const noexcept {
        const double units = part_ + rest_;
        const double distance =
            std::sqrt(statistic * least_variance_ * (1 / part_ + 1 / rest_)) * rest_ / units;
        const double variance = all_.squares / units;
        return 2 * std::exp(-part_ * distance * distance /
                            (2 * variance + 2.0 / 3.0 * farthest * distance));
    }

  private:
    Sums all_;
    double part_;
    double rest_;
    double least_variance_;
};

// Draws a part from all units, again and again; the order that the last draw left does not matter.
class RandomParts {
  public:
    RandomParts(std::span<const double> values, std::size_t part)
        : values_(values.begin(), values.end()), part_(part) {}

    Sums draw_part(std::uint64_t key) {
        Sums sums;
        for (std::size_t i = 0; i < part_; ++i) {
            const std::size_t other = i + draw(key, i, values_.size() - i);
            std::swap(values_[i], values_[other]);
            sums.add(values_[i]);
        }
        return sums;
    }

  private:
    std::vector<double> values_;
    std::size_t part_;
};

double p_value_of(std::span<const double> values, const Statistic& statistic, double seen,
                  std::size_t part, const SplitPlan& plan) {
    if (part > kMostRearranged) return std::erfc(std::sqrt(seen) / std::numbers::sqrt2);
    const std::uint64_t most = std::min<std::uint64_t>(plan.rearrangements, kMostDraws / part);
    double farthest = 0;
    for (const double value : values)
        farthest = std::max(farthest, std::fabs(value));
    const double bound = statistic.bound(seen, farthest);
    if (bound * static_cast<double>(most + 1) <= 1) return bound;
    RandomParts parts(values, part);
    const double limit = seen * (1 - kRounding);
    return sequential_p_value(most, [&](std::uint64_t i) {
        return statistic.of(parts.draw_part(replicate_key(plan.seed, i))) >= limit;
    });
}

}  // namespace

SplitTest split_test(std::span<const double> values, std::span<const std::uint32_t> part,
                     const SplitPlan& plan) {
    const double middle = mean(values).value_or(0);
    std::vector<double> centred(values.begin(), values.end());
    for (double& value : centred)
        value -= middle;
    Sums all;
    for (const double value : centred)
        all.add(value);
    Sums of_part;
    for (const std::uint32_t place : part)
        of_part.add(centred[place]);

    const auto size = static_cast<double>(part.size());
    const auto rest_size = static_cast<double>(values.size() - part.size());
    SplitTest result;
    result.difference = of_part.sum / size - (all.sum - of_part.sum) / rest_size;
    if (all.squares <= 0) return result;  // all units are equal
    const Statistic statistic(all, values.size(), part.size());
    const double seen = statistic.of(of_part);
    // The smaller side is the cheaper one to draw, and says the same.
    const std::size_t smaller = std::min(part.size(), values.size() - part.size());
    const Statistic of_smaller(all, values.size(), smaller);
    result.p_value = p_value_of(centred, of_smaller, seen, smaller, plan);
    return result;
}

}  // namespace evalfleet::statistics
