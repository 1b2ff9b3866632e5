#pragma once

#include "common/statistics/bootstrap.hpp"
#include "common/statistics/weighted_sums.hpp"

namespace evalfleet::statistics {

/// A percentile over the rows of a replicate, exactly, without sorting the replicate.
class BootstrapPercentile {
  public:
    /// There must be at least one cluster.
    BootstrapPercentile(ClusterBootstrap::ValueOf value, double p,
                        std::span<const std::uint32_t> cluster_begin);

    /// Hands the columns it needs to `sums`; to be called once, before anything else.
    void attach(WeightedSums& sums);

    /// The replicate's percentile from its multiplicities and its sums of all columns; NaN for no
    /// value.
    template <class Count>
    [[nodiscard]] double evaluate(std::span<const Count> multiplicity,
                                  std::span<const std::uint64_t> sums) const;

  private:
    // The values that a replicate's percentile is expected among, descending.
    struct Entry {
        double value;
        std::uint32_t cluster;
    };

    void find_window(std::vector<double>& values, std::size_t widest_cluster);
    void split();
    template <class Count>
    [[nodiscard]] double evaluate_all(std::span<const Count> multiplicity) const;

    ClusterBootstrap::ValueOf value_;
    double p_;
    std::span<const std::uint32_t> cluster_begin_;
    double window_least_ = 0;
    double window_most_ = 0;
    std::vector<Entry> window_;
    std::vector<std::uint32_t> counts_;  ///< by cluster, until attached
    std::vector<std::uint32_t> above_;   ///< likewise
    std::size_t count_column_ = 0;
    std::size_t above_column_ = 0;  ///< how many values of a cluster lie above the window
};

}  // namespace evalfleet::statistics
