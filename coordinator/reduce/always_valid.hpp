#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evalfleet::reduce {

/// The run that the rows are of: where its random order comes from, and how much there would be.
struct StoppedRun {
    std::string_view run_id;
    std::uint64_t samples = 0;
    std::uint64_t repeats = 1;
};

/// The intervals of a run that ended early: of the figures that the whole run would have had, all
/// four true together in 95 of 100 runs, whatever made it end (statistics::always_valid_interval).
/// Over the samples that the end was decided from: in the run's order, up to the first that is not
/// complete. None for a run of more than `kMostSamples`, whose order is not kept. Pure.
inline constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 26;
[[nodiscard]] std::optional<job::AlwaysValid> find_always_valid(std::span<const TrialRow> rows,
                                                                const job::Policy::Gates& gates,
                                                                const StoppedRun& run);

}  // namespace evalfleet::reduce
