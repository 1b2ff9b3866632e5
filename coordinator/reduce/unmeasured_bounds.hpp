#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <optional>

namespace evalfleet::reduce {

/// Which trials without an answer count as unknown.
enum class Unknown {
    unanswered,  ///< all of them
    lost,        ///< those that infrastructure lost; the rest are failures of the model
};

/// How far figures could move with what is unknown: all of it failed, or all of it perfect. Null
/// without trials.
struct FigureBounds {
    std::optional<statistics::Interval> aggregate_score{};
    std::optional<statistics::Interval> rubric_pass_rate{};
    std::optional<statistics::Interval> spec_pass_rate{};
    std::optional<statistics::Interval> faithfulness_failure_rate{};
    std::optional<statistics::Interval> latency_e2e_p95_ms{};
};

/// Answers without a score are always unknown: as for the gates' `unscored`, they count as 0 or as
/// a perfect score, as failed or as passed, whatever their latency and tokens are. Pure.
[[nodiscard]] FigureBounds bound_figures(const RecordTable& table, const job::Policy& policy,
                                         Unknown unknown);

}  // namespace evalfleet::reduce
