#pragma once

#include "common/job/summary.hpp"
#include "common/statistics/bootstrap.hpp"
#include "coordinator/reduce/population.hpp"

#include <optional>

namespace evalfleet::reduce {

/// What reducing one population yields.
struct ReducedBlocks {
    job::Blocks blocks;
    /// Bootstrap over samples; only if asked for.
    std::optional<statistics::Interval> rubric_pass_rate_cluster_ci95;
    std::optional<statistics::Interval> spec_pass_rate_cluster_ci95;
};

enum class ClusterRates { leave_out, include };

/// Both blocks of a population, whose token sums are `tokens`.
[[nodiscard]] ReducedBlocks reduce_blocks(const Population& trials, const job::TokenTotals& tokens,
                                          const statistics::BootstrapPlan& plan,
                                          ClusterRates cluster_rates = ClusterRates::leave_out);

}  // namespace evalfleet::reduce
