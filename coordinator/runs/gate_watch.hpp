#pragma once

#include "common/job/policy.hpp"
#include "common/job/trial_record.hpp"
#include "common/statistics/threshold_watch.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace evalfleet::runs {

/// Tells when the verdict of a run's gates is certain before its last trial. Each gate is a mean of
/// values in [0, 1] over the samples, watched by a sequential test; all four together are wrong
/// with a probability of at most 5 %, however often they are asked.
///
/// Samples must come in random order (TrialOrder). Results come in any order: what counts are the
/// samples up to the first that is not complete, so that slow trials, which may be worse, are not
/// left out. A value that is not known (no scores, no latency, a
/// call that failed for reasons of infrastructure) counts as the worst and as the best
/// possible. Pure; memory follows what is out.
class GateWatch {
  public:
    static constexpr double kErrorRate = 0.05;

    GateWatch(const job::Policy& policy, std::uint64_t samples, std::uint64_t repeats);

    /// What of a trial its gates look at: the least and the greatest it may count.
    struct Bounds {
        double least = 0;
        double greatest = 1;
    };
    using Values = std::array<Bounds, 4>;  ///< in [0, 1], more being better
    [[nodiscard]] static Values of(const job::TrialRecord& record, const job::Policy& policy);

    /// The trial at a position of the run's order; each once.
    void add(std::uint64_t position, const Values& values);

    enum class Verdict { open, pass, fail };
    [[nodiscard]] Verdict verdict() const noexcept;

    /// How many samples were looked at.
    [[nodiscard]] std::uint64_t count_samples() const noexcept { return next_; }

  private:
    struct Sample {
        std::uint64_t trials = 0;
        Values sums{};
    };

    std::uint64_t repeats_;
    std::uint64_t next_ = 0;                   // the first sample that is not complete
    std::map<std::uint64_t, Sample> waiting_;  // by their place in the order
    std::array<statistics::ThresholdWatch, 4> gates_;
};

}  // namespace evalfleet::runs
