#pragma once

#include "common/job/policy.hpp"
#include "common/job/trial_record.hpp"
#include "common/statistics/thirds_watch.hpp"
#include "common/statistics/threshold_watch.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace evalfleet::reduce {

/// What the gates look at in a trial, or in the trials of a sample on average: for each gate, in
/// the order of job::kGates, a value in [0, 1] of which more is better. The mean of these over a
/// run is on the same side of `gate_thresholds` as the gate's figure is of its threshold.
using GateValues = std::array<statistics::WatchedValue, 4>;

/// As the summary treats them: what does not belong to the population of a gate is neutral (no
/// faithfulness or latency of a call that failed). What is not known (an answer without scores, a
/// call that infrastructure lost) counts as the worst and as the best possible.
[[nodiscard]] GateValues gate_values(const TrialRow& row, const job::Policy::Gates& gates);
[[nodiscard]] GateValues gate_values(const job::TrialRecord& record,
                                     const job::Policy::Gates& gates);

[[nodiscard]] std::array<double, 4> gate_thresholds(const job::Policy::Gates& gates);

/// Puts the trials of samples together again. Results come in any order: what counts are the
/// samples up to the first that is not complete, so that slow trials, which may be worse, are not
/// left out. Memory follows what is out.
class SampleStream {
  public:
    explicit SampleStream(std::uint64_t repeats) : repeats_(repeats) {}

    /// The trial at a position of the run's order; each once. `on_sample` gets the values of every
    /// sample that is next and complete now.
    template <class OnSample>
    void add(std::uint64_t position, const GateValues& values, OnSample on_sample) {
        enter(position, values);
        for (auto first = waiting_.begin(); first != waiting_.end(); first = waiting_.begin()) {
            if (first->first != next_ || first->second.trials < repeats_) return;
            on_sample(mean_of(first->second));
            waiting_.erase(first);
            ++next_;
        }
    }

    /// How many samples were given on.
    [[nodiscard]] std::uint64_t count() const noexcept { return next_; }

  private:
    struct Sample {
        std::uint64_t trials = 0;
        GateValues sums{};
    };

    void enter(std::uint64_t position, const GateValues& values);
    [[nodiscard]] static GateValues mean_of(const Sample& sample);

    std::uint64_t repeats_;
    std::uint64_t next_ = 0;                   // the first sample that is not complete
    std::map<std::uint64_t, Sample> waiting_;  // by their place in the order
};

/// Tells when the verdict of a run's gates is certain before its last trial. Each gate is watched
/// by a sequential test over the samples; all four together are wrong with a probability of at most
/// 5 %, however often they are asked.
///
/// Samples must come in random order (TrialOrder), which makes them exchangeable over the data set,
/// not over time: `find_drift` tells whether the figures move while the run goes on. Pure.
class GateWatch {
  public:
    static constexpr double kErrorRate = 0.05;
    static constexpr double kErrorRateOfAGate = kErrorRate / 4;

    GateWatch(const job::Policy::Gates& gates, std::uint64_t samples, std::uint64_t repeats);

    /// The trial at a position of the run's order; each once.
    void add(std::uint64_t position, const GateValues& values);

    enum class Verdict { open, pass, fail };
    [[nodiscard]] Verdict verdict() const noexcept;
    [[nodiscard]] Verdict verdict_of(std::size_t gate) const noexcept;

    /// The trials that are missing cannot turn the verdict, whatever they are.
    [[nodiscard]] bool is_settled() const noexcept;

    /// A gate whose figure differs between the first and the last third of the samples, in the
    /// order in which they went out; by chance in one of twenty looks.
    struct Drift {
        std::size_t gate = 0;  ///< of job::kGates
        double first = 0;      ///< mean of its values, see GateValues
        double last = 0;
    };
    [[nodiscard]] std::optional<Drift> find_drift() const;

    /// How many samples were looked at, and how many there are.
    [[nodiscard]] std::uint64_t count_samples() const noexcept { return stream_.count(); }
    [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }

  private:
    std::uint64_t samples_;
    SampleStream stream_;
    std::array<statistics::ThresholdWatch, 4> gates_;
    std::array<statistics::ThirdsWatch, 4> thirds_;
};

}  // namespace evalfleet::reduce
