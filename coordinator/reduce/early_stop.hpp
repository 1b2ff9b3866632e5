#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/gate_watch.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::reduce {

/// Decides whether a run ends before its last trial, and says why it does not although its gates
/// are certain:
///
/// - The figures must not move with time: where the first and the last third of the samples differ,
///   the rest may be different again. Below `kFewestSamples` that cannot be seen. Neither matters
///   where the missing trials could not turn the verdict whatever they are.
/// - The summary of what is there must say the same as the watch, and call it decided. A summary is
///   expensive: after one that says otherwise, a tenth more samples come first.
///
/// Pure.
class EarlyStop {
  public:
    static constexpr std::uint64_t kFewestSamples = statistics::ThirdsWatch::kFewest;

    /// Whether the summary is to be asked now.
    [[nodiscard]] bool wants_summary(const GateWatch& gates);

    /// Whether the run ends, by the summary that it would have then.
    [[nodiscard]] bool may_end(const GateWatch& gates, const job::Summary& summary);

    /// Why the run goes on although its gates are certain; empty: nothing of that kind.
    [[nodiscard]] const std::string& note() const noexcept { return note_; }

  private:
    std::string note_;
    std::uint64_t next_look_ = 0;  // in samples
};

/// The summary has the verdict that the watch is certain of, without a doubt, and the run could be
/// measured. Pure.
[[nodiscard]] bool agrees(const GateWatch& gates, const job::Summary& summary);

/// What moves with time, in words: `the pass rate moved from 0.95 in the first third of the samples
/// to 0.71 in the last`. None if nothing does.
[[nodiscard]] std::optional<std::string> drift_note(const GateWatch& gates);

}  // namespace evalfleet::reduce
