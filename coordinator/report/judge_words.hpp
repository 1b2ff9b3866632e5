#pragma once

#include "common/job/trial_record.hpp"

#include <string>

namespace evalfleet::report {

/// Why replies of the judge were rejected, a line each, and how the last one ended if that was not
/// of its own accord. Empty if none was.
[[nodiscard]] std::string rejected_replies(const job::TrialRecord& record);

/// What the judge said of a trial, or else why nothing of it counts. Empty if it was not asked.
[[nodiscard]] std::string judge_words(const job::TrialRecord& record);

}  // namespace evalfleet::report
