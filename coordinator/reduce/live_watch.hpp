#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/always_valid.hpp"
#include "coordinator/reduce/gate_watch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::reduce {

/// What can be said of the gates of a run that goes on, to somebody who looks all the time. The
/// rule is that of the early stop (GateWatch), with the question that a run is asked when it is
/// over: on which side of its threshold is a figure with samples of this kind, not only with those
/// of this run? So the bets are on values that might go on for ever. All four gates together are
/// wrong in at most 5 of 100 runs, however often they are asked.
///
/// Samples must come in an order that has nothing to do with how good they are. Nothing is said
/// before `EarlyStop::kFewestSamples`, nor while the first and the last third of the samples
/// differ.
///
/// Pure. Of a large run neighbouring samples are put together, so that memory and the time of a
/// look are bounded.
class LiveWatch {
  public:
    /// `samples`: of the whole run.
    LiveWatch(const job::Policy::Gates& gates, std::uint64_t samples, std::uint64_t repeats);

    /// The trial at a position of the run's order; each once.
    void add(std::uint64_t position, const GateValues& values);

    using Verdicts = std::array<GateWatch::Verdict, 4>;
    [[nodiscard]] Verdicts verdicts() const;

    /// Why nothing is decided although it could be: what moves with time. None: nothing does.
    [[nodiscard]] std::optional<std::string> note() const;

    /// That hold whenever one looks, and `samples`: how many they are of.
    [[nodiscard]] job::AlwaysValid intervals() const;

    [[nodiscard]] std::uint64_t count_samples() const noexcept {
        return gates_.count_samples() * samples_a_value_;
    }

  private:
    static constexpr std::uint64_t kMostValues = 4096;

    std::uint64_t samples_a_value_;
    GateWatch gates_;
    SampleStream stream_;
    WatchedGates watched_;
};

}  // namespace evalfleet::reduce
