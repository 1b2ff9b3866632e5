#include "coordinator/reduce/gate_watch.hpp"

#include "common/job/measured.hpp"
#include "common/job/summary.hpp"
#include "common/job/trial_index.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::reduce {

namespace {

using statistics::ThresholdWatch;
using statistics::WatchedValue;

static_assert(std::tuple_size_v<GateValues> == job::kGates.size());
constexpr WatchedValue kNotOfThePopulation{0, 0, 1};

// Weights add up to 1 but for rounding.
WatchedValue known(double value) {
    const double clamped = std::clamp(value, 0.0, 1.0);
    return {clamped, clamped};
}

WatchedValue known(bool is_good) {
    return known(is_good ? 1.0 : 0.0);
}

// Only what the gates look at.
TrialRow row_of(const job::TrialRecord& record) {
    const auto score = [](const auto& value) {
        return value ? static_cast<std::uint32_t>(*value) & 3U : TrialRow::kNoScore;
    };
    TrialRow row;
    const Response response = job::is_answered(record) ? Response::answered
                              : record.timed_out       ? Response::timed_out
                                                       : Response::failed;
    row.response = static_cast<std::uint32_t>(response) & 3U;
    row.lost = response != Response::answered && job::is_unmeasured(job::TrialEnd::of(record));
    row.accuracy = score(record.correctness_score);
    row.faithfulness = score(record.faithfulness_score);
    row.rubric_passed = record.rubric_passed ? 1 : 0;
    row.sample_score = record.sample_score.value_or(TrialRow::kNone);
    row.latency_e2e_ms = record.latency_e2e_ms.value_or(TrialRow::kNone);
    return row;
}

}  // namespace

GateValues gate_values(const TrialRow& row, const job::Policy::Gates& gates) {
    GateValues values;
    if (row.lost != 0) return values;
    const bool is_answered = row.how_it_ended() == Response::answered;
    const bool has_faithfulness = row.faithfulness != TrialRow::kNoScore;
    if (!std::isnan(row.sample_score)) values[0] = known(row.sample_score);
    if (!is_answered || (has_faithfulness && row.accuracy != TrialRow::kNoScore))
        values[1] = known(row.rubric_passed != 0);
    if (has_faithfulness)
        values[2] = known(row.faithfulness > 0);
    else if (!is_answered)
        values[2] = kNotOfThePopulation;
    const double latency = row.rubric_latency_ms();
    values[3] =
        std::isnan(latency) ? kNotOfThePopulation : known(latency <= gates.max_latency_e2e_p95_ms);
    return values;
}

GateValues gate_values(const job::TrialRecord& record, const job::Policy::Gates& gates) {
    return gate_values(row_of(record), gates);
}

std::array<double, 4> gate_thresholds(const job::Policy::Gates& gates) {
    return {gates.min_aggregate_score, gates.min_pass_rate, 1 - gates.max_faithfulness_failure_rate,
            1 - job::kShareOverLimit};
}

void SampleStream::enter(std::uint64_t position, const GateValues& values) {
    Sample& sample = waiting_[job::TrialIndex::of(position, repeats_).sample_index];
    for (std::size_t gate = 0; gate < values.size(); ++gate) {
        WatchedValue& sum = sample.sums[gate];
        if (sample.trials == 0) sum = {0, 0, 0};
        sum.least += values[gate].least;
        sum.greatest += values[gate].greatest;
        sum.neutral += values[gate].neutral;
    }
    ++sample.trials;
}

// Divided once, so that a mean of ones is exactly 1.
GateValues SampleStream::mean_of(const Sample& sample) {
    const auto trials = static_cast<double>(sample.trials);
    GateValues means;
    for (std::size_t gate = 0; gate < means.size(); ++gate) {
        const WatchedValue& sum = sample.sums[gate];
        means[gate] = {sum.least / trials, sum.greatest / trials, sum.neutral / trials};
    }
    return means;
}

GateWatch::GateWatch(const job::Policy::Gates& gates, std::uint64_t samples, std::uint64_t repeats)
    : samples_(samples),
      stream_(repeats),
      gates_{ThresholdWatch(gate_thresholds(gates)[0], samples, kErrorRateOfAGate),
             ThresholdWatch(gate_thresholds(gates)[1], samples, kErrorRateOfAGate),
             ThresholdWatch(gate_thresholds(gates)[2], samples, kErrorRateOfAGate),
             ThresholdWatch(gate_thresholds(gates)[3], samples, kErrorRateOfAGate)} {}

void GateWatch::add(std::uint64_t position, const GateValues& values) {
    stream_.add(position, values, [this](const GateValues& sample) {
        for (std::size_t gate = 0; gate < gates_.size(); ++gate) {
            const WatchedValue& value = sample[gate];
            gates_[gate].add(value);
            // What nobody knows, or is of no population, does not move.
            if (value.least == value.greatest && value.neutral < 1)
                thirds_[gate].add(value.least / (1 - value.neutral));
        }
    });
}

GateWatch::Verdict GateWatch::verdict_of(std::size_t gate) const noexcept {
    switch (gates_[gate].verdict()) {
        case ThresholdWatch::Verdict::at_least:
            return Verdict::pass;
        case ThresholdWatch::Verdict::below:
            return Verdict::fail;
        case ThresholdWatch::Verdict::open:
            break;
    }
    return Verdict::open;
}

GateWatch::Verdict GateWatch::verdict() const noexcept {
    bool all_pass = true;
    for (std::size_t gate = 0; gate < gates_.size(); ++gate) {
        if (verdict_of(gate) == Verdict::fail) return Verdict::fail;
        all_pass = all_pass && verdict_of(gate) == Verdict::pass;
    }
    return all_pass ? Verdict::pass : Verdict::open;
}

bool GateWatch::is_settled() const noexcept {
    if (verdict() == Verdict::pass)
        return std::ranges::all_of(gates_, [](const auto& gate) { return gate.is_settled(); });
    for (std::size_t gate = 0; gate < gates_.size(); ++gate)
        if (verdict_of(gate) == Verdict::fail && gates_[gate].is_settled()) return true;
    return false;
}

std::optional<GateWatch::Drift> GateWatch::find_drift() const {
    constexpr double kDeviations = 2.5;  // 1.2 % for each of four gates
    for (std::size_t gate = 0; gate < gates_.size(); ++gate)
        if (const auto means = thirds_[gate].find_difference(kDeviations))
            return Drift{gate, means->first, means->last};
    return std::nullopt;
}

}  // namespace evalfleet::reduce
