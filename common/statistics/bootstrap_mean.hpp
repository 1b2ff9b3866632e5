#pragma once

#include "common/statistics/bootstrap.hpp"
#include "common/statistics/weighted_sums.hpp"

namespace evalfleet::statistics {

/// A value known up to `radius` on either side; NaN if the replicate has no value.
struct Approximation {
    double value = 0;
    double radius = 0;
};

/// The mean over the rows of a replicate: cheaply with a bound of its error, or exactly.
class BootstrapMean {
  public:
    /// There must be at least one cluster.
    BootstrapMean(ClusterBootstrap::ValueOf value, std::span<const std::uint32_t> cluster_begin);

    /// Hands the columns it needs to `sums`; to be called once, before anything else.
    void attach(WeightedSums& sums);

    /// True if `approximate` has no error at all: whole numbers.
    [[nodiscard]] bool is_exact() const noexcept { return exact_; }
    /// True if every replicate has the same mean.
    [[nodiscard]] bool is_constant() const noexcept { return constant_; }

    /// From the replicate's sums of all columns.
    [[nodiscard]] Approximation approximate(std::span<const std::uint64_t> sums) const noexcept;

    /// The exactly rounded sum over the count; NaN for no value.
    [[nodiscard]] double evaluate(std::span<const std::uint32_t> multiplicity) const;

  private:
    struct ClusterSums;
    [[nodiscard]] ClusterSums sum_clusters();
    void quantize(const ClusterSums& clusters);

    ClusterBootstrap::ValueOf value_;
    std::span<const std::uint32_t> cluster_begin_;
    std::vector<std::uint32_t> counts_;  ///< by cluster, until attached
    std::vector<std::uint32_t> steps_;   ///< likewise
    std::size_t count_column_ = 0;
    std::size_t sum_column_ = 0;
    double offset_ = 0;  ///< a cluster's sum is offset + step * column, up to `error`
    double step_ = 1;
    double error_ = 0;
    bool exact_ = false;
    bool constant_ = false;
};

}  // namespace evalfleet::statistics
