#pragma once

#include "common/job/trial_record.hpp"
#include "coordinator/traces/span.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evalfleet::traces {

/// Whether a trial is among the `ratio` (0 to 1) that are told. The same answer for the same trial,
/// whoever asks and how often. Pure.
[[nodiscard]] bool is_sampled(std::string_view run_id, std::uint64_t index, double ratio) noexcept;

/// The time of one trial as spans: `trial` and, as far as its record knows them, `queue`, `permit`,
/// `failed attempts`, `attempt` and `judge` in it. Ids follow from run, sample and repeat, so that
/// telling a trial twice makes no second trace.
///
/// A record has durations and one moment, that of the first dispatch. So the waits for permits are
/// laid before it, all together. Of a trial that was judged anew only the judge's time is new; that
/// ends at `arrived`, as does a trial whose beginning is not known. No text of a sample, an answer
/// or a rationale is in a span. Pure.
[[nodiscard]] std::vector<Span> spans_of(const job::TrialRecord& record,
                                         std::chrono::system_clock::time_point arrived);

}  // namespace evalfleet::traces
