#pragma once

#include "common/job/trial_index.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/runs/paged_array.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::runs {

/// The pass rate of a run that goes on, with an interval that knows that repeats of a sample are
/// not new samples: the one that the gate will have at the end. Takes 8 bytes for each sample that
/// has begun, where samples are repeated. Pure.
class PassTally {
  public:
    PassTally(std::uint64_t trials, std::uint64_t repeats)
        : repeats_(repeats), samples_(repeats > 1 ? (trials + repeats - 1) / repeats : 0) {}

    /// A trial of the run, by its index; each once.
    void add(std::uint64_t index, bool passed) {
        change(index, [passed](Sample& sample) {
            ++sample.trials;
            sample.passed += passed ? 1 : 0;
        });
    }

    /// A trial that was added and had not passed.
    void take_back_failed(std::uint64_t index) {
        if (repeats_ == 1) return rate_.take_back_sample(0, 1);
        change(index, [](Sample& sample) { --sample.trials; });
    }

    [[nodiscard]] std::optional<statistics::Interval> ci95() const { return rate_.ci95(); }

  private:
    struct Sample {
        std::uint32_t trials = 0;
        std::uint32_t passed = 0;
        bool operator==(const Sample&) const = default;
    };

    [[nodiscard]] std::uint64_t sample_of(std::uint64_t index) const {
        return job::TrialIndex::of(index, repeats_).sample_index;
    }

    template <class Change>
    void change(std::uint64_t index, Change change_sample) {
        Sample sample = repeats_ == 1 ? Sample{} : samples_.get(sample_of(index));
        rate_.take_back_sample(sample.passed, sample.trials);
        change_sample(sample);
        rate_.add_sample(sample.passed, sample.trials);
        if (repeats_ > 1) samples_.set(sample_of(index), sample);
    }

    std::uint64_t repeats_;
    PagedArray<Sample> samples_;  // empty for one repeat
    statistics::ClusteredRate rate_;
};

}  // namespace evalfleet::runs
