#pragma once

#include "common/statistics/exact_sum.hpp"
#include "common/statistics/interval.hpp"
#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace evalfleet::statistics {

/// The specification's bootstrap, word for word: draw, pool, compute, sort. No cleverness.
class NaiveBootstrap {
  public:
    using Clusters = std::vector<std::vector<double>>;  ///< values of each sample; NaN: none

    NaiveBootstrap(Clusters clusters, std::uint32_t replicates, std::uint64_t seed)
        : clusters_(std::move(clusters)), replicates_(replicates), seed_(seed) {}

    [[nodiscard]] std::optional<Interval> mean() const {
        return limits([](std::vector<double> pooled) -> std::optional<double> {
            if (pooled.empty()) return std::nullopt;
            ExactSum sum;
            for (const double value : pooled) {
                sum.add(value);
            }
            return sum.value() / static_cast<double>(pooled.size());
        });
    }

    [[nodiscard]] std::optional<Interval> percentile(double p) const {
        return limits([p](std::vector<double> pooled) {
            std::ranges::sort(pooled);
            return percentile_of_sorted(pooled, p);
        });
    }

  private:
    __extension__ using Wide = unsigned __int128;

    static std::uint64_t mix(std::uint64_t z) {
        z ^= z >> 30;
        z *= 0xBF58476D1CE4E5B9;
        z ^= z >> 27;
        z *= 0x94D049BB133111EB;
        z ^= z >> 31;
        return z;
    }

    template <class Statistic>
    [[nodiscard]] std::optional<Interval> limits(Statistic statistic) const {
        std::vector<double> values;
        const std::uint64_t m = clusters_.size();
        for (std::uint64_t b = 0; b < replicates_; ++b) {
            const std::uint64_t key = mix(seed_ + (b + 1) * 0xD1B54A32D192ED03);
            std::vector<double> pooled;
            for (std::uint64_t i = 0; i < m; ++i) {
                const std::uint64_t u = mix(key + (i + 1) * 0x9E3779B97F4A7C15);
                const auto index = static_cast<std::size_t>((Wide{u} * m) >> 64);
                for (const double value : clusters_[index]) {
                    if (!std::isnan(value)) pooled.push_back(value);
                }
            }
            const std::optional<double> value = statistic(std::move(pooled));
            if (value) values.push_back(*value);
        }
        std::ranges::sort(values);
        if (values.empty()) return std::nullopt;
        return Interval{*percentile_of_sorted(values, 0.025), *percentile_of_sorted(values, 0.975)};
    }

    Clusters clusters_;
    std::uint32_t replicates_;
    std::uint64_t seed_;
};

}  // namespace evalfleet::statistics
