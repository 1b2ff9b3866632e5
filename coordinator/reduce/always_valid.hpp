#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "common/statistics/threshold_watch.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// What the gates were watched by, in the order of job::kGates and of the run: one value for each
/// sample, or for a few samples that follow each other.
using WatchedGates = std::array<std::vector<statistics::WatchedValue>, 4>;

/// The intervals of the four figures: of the mean of `population` such values, all four true
/// together in 95 of 100 runs, whenever one stops. Pure.
[[nodiscard]] job::AlwaysValid always_valid(const WatchedGates& watched, std::uint64_t population);

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
