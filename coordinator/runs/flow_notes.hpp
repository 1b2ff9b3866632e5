#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/providers/provider_config.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_book.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// Where the trials of a run are that have no record yet.
struct FlowFigures {
    std::uint64_t in_flight = 0;  ///< calls at the provider
    std::uint64_t waiting = 0;    ///< in workers' hands, for a permit or between two attempts
    std::uint64_t retrying = 0;   ///< put back into the queue, to be tried again later
    std::uint64_t queued = 0;     ///< not taken by a worker yet

    bool operator==(const FlowFigures&) const = default;
};

/// `view`: of the whole pool. Calls of runs that share the workers are divided by what each has in
/// workers' hands. `open`: trials of the run without a record, which is what the figures add up to:
/// the view may be a second old, and trials that have come home since are not counted in it. Pure.
[[nodiscard]] FlowFigures flow_of(const PoolWatch::View& view, const std::string& run_id,
                                  std::uint64_t open);

/// A provider of the run, and what it counts its limits by.
struct LimitAccount {
    std::string provider;
    std::string name;
};

/// For people, if a provider of the run refuses calls: `throttled by main: 12 calls refused in the
/// last minute, limit now 84 calls at once, 35 calls wait`. Pure.
[[nodiscard]] std::optional<std::string> throttle_note(const std::vector<queue::LimitStats>& limits,
                                                       const RecentRefusals& refusals,
                                                       const std::vector<LimitAccount>& accounts);

/// What the fleet has learnt of the limits of the run's providers that refused calls. Pure.
[[nodiscard]] job::LearntLimits learnt_limits(const std::vector<queue::LimitStats>& limits,
                                              const std::vector<LimitAccount>& accounts);

/// For people: providers of the run that no worker has, and workers that are left aside because
/// they have no such provider or cannot reach it. The gravest first. Pure.
[[nodiscard]] std::vector<std::string> worker_notes(const std::vector<WorkerFacts>& workers,
                                                    const std::vector<std::string>& needs);

/// For people: what was in the way of a trial a moment ago.
[[nodiscard]] std::optional<std::string> setback_note(const RunBook& book, async::TimePoint now);

/// The providers without which no worker can do the run's trials. Pure.
[[nodiscard]] std::vector<std::string> needs_of(const job::RunSpec& spec);

/// What those providers count their limits by. Pure.
[[nodiscard]] std::vector<LimitAccount> accounts_of(const std::vector<std::string>& names,
                                                    const providers::Providers& known);

}  // namespace evalfleet::runs
