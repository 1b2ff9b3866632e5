#pragma once

#include "common/statistics/interval.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace evalfleet::statistics {

struct BootstrapPlan {
    std::uint32_t replicates = 2000;
    std::uint64_t seed = 42;
    unsigned threads = 1;  ///< the result does not depend on it
};

/// Percentile bootstrap confidence intervals of means and percentiles, where what is resampled are
/// clusters of rows (a sample with its repeats): 2,000 replicates of a million clusters are 2 *
/// 10^9 draws, each with six metrics. All metrics share the draws, and three things make it fast
/// without changing a bit of the result:
///
/// - A replicate is turned into multiplicities, and means become products of whole numbers with
///   them (WeightedSums). Doubles are rounded to 30 bits for that, with a known bound of the error.
/// - The limits depend on four order statistics only. The bounds tell which few replicates can be
///   one of the four; only these are drawn again and summed exactly.
/// - A percentile of a replicate lies near the percentile of the data. The rows around it are
/// sorted
///   once; a replicate counts what lies above them and walks down.
///
/// Rows are numbered 0..n-1; cluster i is the rows cluster_begin[i]..cluster_begin[i+1]-1.
class ClusterBootstrap {
  public:
    /// The value of a row, NaN if it has none. Called from several threads at once.
    using ValueOf = std::function<double(std::size_t row)>;

    /// `cluster_begin` has one entry more than there are clusters and must outlive this object.
    explicit ClusterBootstrap(std::span<const std::uint32_t> cluster_begin);
    ~ClusterBootstrap();
    ClusterBootstrap(const ClusterBootstrap&) = delete;
    ClusterBootstrap& operator=(const ClusterBootstrap&) = delete;

    /// They return the metric's place in the result of `run`.
    std::size_t add_mean(ValueOf value);
    std::size_t add_percentile(ValueOf value, double p);
    /// Percentile p of `first` minus that of `second`, over the same draws.
    std::size_t add_percentile_difference(ValueOf first, ValueOf second, double p);

    /// For each metric the percentiles 2.5 and 97.5 of its replicates, those without any value left
    /// out; null if none has a value.
    [[nodiscard]] std::vector<std::optional<Interval>> run(const BootstrapPlan& plan) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace evalfleet::statistics
