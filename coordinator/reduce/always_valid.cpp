#include "coordinator/reduce/always_valid.hpp"

#include "common/job/summary.hpp"
#include "common/job/trial_index.hpp"
#include "coordinator/reduce/gate_watch.hpp"
#include "coordinator/reduce/trial_order.hpp"

#include <vector>

namespace evalfleet::reduce {

namespace {

using statistics::Interval;

static_assert(std::tuple_size_v<WatchedGates> == job::kGates.size());

WatchedGates watched_values(std::span<const TrialRow> rows, const job::Policy::Gates& gates,
                            const StoppedRun& run) {
    const TrialOrder order(run.run_id, run.samples, run.repeats);
    SampleStream stream(run.repeats);
    WatchedGates watched;
    for (const TrialRow& row : rows) {
        // A file may say anything; what is no trial of the run has no place in its order.
        if (row.sample_index >= run.samples || row.repeat < 1 || row.repeat > run.repeats) continue;
        const std::uint64_t index =
            job::TrialIndex{row.sample_index, row.repeat}.within(run.repeats);
        stream.add(order.position(index), gate_values(row, gates), [&](const GateValues& sample) {
            for (std::size_t gate = 0; gate < watched.size(); ++gate)
                watched[gate].push_back(sample[gate]);
        });
    }
    return watched;
}

// Of the share that is not.
Interval complement(const Interval& interval) {
    return {1 - interval.upper, 1 - interval.lower};
}

}  // namespace

job::AlwaysValid always_valid(const WatchedGates& watched, std::uint64_t population) {
    const auto interval = [&](std::size_t gate) {
        return statistics::always_valid_interval(watched[gate], population,
                                                 GateWatch::kErrorRateOfAGate);
    };
    job::AlwaysValid valid;
    valid.samples = watched.front().size();
    valid.aggregate_score = interval(0);
    valid.pass_rate = interval(1);
    valid.faithfulness_failure_rate = complement(interval(2));
    valid.latency_share_over = complement(interval(3));
    return valid;
}

std::optional<job::AlwaysValid> find_always_valid(std::span<const TrialRow> rows,
                                                  const job::Policy::Gates& gates,
                                                  const StoppedRun& run) {
    if (run.samples > kMostSamples) return std::nullopt;
    return always_valid(watched_values(rows, gates, run), run.samples);
}

}  // namespace evalfleet::reduce
