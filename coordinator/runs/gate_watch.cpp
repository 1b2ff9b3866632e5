#include "coordinator/runs/gate_watch.hpp"

#include "common/job/measured.hpp"
#include "common/job/summary.hpp"

namespace evalfleet::runs {

namespace {

using statistics::ThresholdWatch;

GateWatch::Bounds known(double value) {
    return {value, value};
}

GateWatch::Bounds known(bool is_good) {
    return known(is_good ? 1.0 : 0.0);
}

}  // namespace

GateWatch::GateWatch(const job::Policy& policy, std::uint64_t samples, std::uint64_t repeats)
    : repeats_(repeats),
      gates_{
          ThresholdWatch(policy.gates.min_aggregate_score, samples, kErrorRate / 4),
          ThresholdWatch(policy.gates.min_pass_rate, samples, kErrorRate / 4),
          ThresholdWatch(1 - policy.gates.max_faithfulness_failure_rate, samples, kErrorRate / 4),
          ThresholdWatch(1 - job::kShareOverLimit, samples, kErrorRate / 4)} {}

GateWatch::Values GateWatch::of(const job::TrialRecord& record, const job::Policy& policy) {
    Values values;
    const bool is_answered = job::is_answered(record);
    const bool is_lost = !is_answered && job::is_unmeasured(job::TrialEnd::of(record));
    if (is_lost) return values;
    if (record.sample_score) values[0] = known(*record.sample_score);
    const bool is_scored = record.correctness_score && record.faithfulness_score;
    if (!is_answered || is_scored) values[1] = known(record.rubric_passed);
    if (record.faithfulness_score) values[2] = known(*record.faithfulness_score > 0);
    if (record.latency_e2e_ms && (is_answered || record.timed_out))
        values[3] = known(*record.latency_e2e_ms <= policy.gates.max_latency_e2e_p95_ms);
    return values;
}

void GateWatch::add(std::uint64_t position, const Values& values) {
    Sample& sample = waiting_[position / repeats_];
    ++sample.trials;
    for (std::size_t gate = 0; gate < values.size(); ++gate) {
        if (sample.trials == 1) sample.sums[gate] = known(0.0);
        sample.sums[gate].least += values[gate].least;
        sample.sums[gate].greatest += values[gate].greatest;
    }
    const auto trials = static_cast<double>(repeats_);
    for (auto first = waiting_.begin(); first != waiting_.end(); first = waiting_.begin()) {
        if (first->first != next_ || first->second.trials < repeats_) return;
        for (std::size_t gate = 0; gate < gates_.size(); ++gate) {
            const Bounds& sum = first->second.sums[gate];
            gates_[gate].add(sum.least / trials, sum.greatest / trials);
        }
        waiting_.erase(first);
        ++next_;
    }
}

GateWatch::Verdict GateWatch::verdict() const noexcept {
    bool all_pass = true;
    for (const ThresholdWatch& gate : gates_) {
        if (gate.verdict() == ThresholdWatch::Verdict::below) return Verdict::fail;
        all_pass = all_pass && gate.verdict() == ThresholdWatch::Verdict::at_least;
    }
    return all_pass ? Verdict::pass : Verdict::open;
}

}  // namespace evalfleet::runs
