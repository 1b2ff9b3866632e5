#include "coordinator/reduce/live_watch.hpp"

#include "common/job/summary.hpp"
#include "coordinator/reduce/early_stop.hpp"

#include <algorithm>

namespace evalfleet::reduce {

namespace {

using statistics::ThresholdWatch;

}  // namespace

// A watch takes any number of trials that follow each other for a sample.
LiveWatch::LiveWatch(const job::Policy::Gates& gates, std::uint64_t samples, std::uint64_t repeats)
    : samples_a_value_(std::max<std::uint64_t>(1, (samples + kMostValues - 1) / kMostValues)),
      gates_(gates, ThresholdWatch::kUnbounded, repeats * samples_a_value_),
      stream_(repeats * samples_a_value_) {}

static_assert(std::tuple_size_v<LiveWatch::Verdicts> == job::kGates.size());

void LiveWatch::add(std::uint64_t position, const GateValues& values) {
    gates_.add(position, values);
    stream_.add(position, values, [this](const GateValues& sample) {
        for (std::size_t gate = 0; gate < watched_.size(); ++gate)
            watched_[gate].push_back(sample[gate]);
    });
}

LiveWatch::Verdicts LiveWatch::verdicts() const {
    Verdicts verdicts{};
    if (count_samples() < EarlyStop::kFewestSamples || gates_.find_drift()) return verdicts;
    for (std::size_t gate = 0; gate < verdicts.size(); ++gate)
        verdicts[gate] = gates_.verdict_of(gate);
    return verdicts;
}

std::optional<std::string> LiveWatch::note() const {
    return drift_note(gates_);
}

job::AlwaysValid LiveWatch::intervals() const {
    job::AlwaysValid valid = always_valid(watched_, ThresholdWatch::kUnbounded);
    valid.samples = count_samples();
    return valid;
}

}  // namespace evalfleet::reduce
