#pragma once

#include "coordinator/reduce/trial_row.hpp"

/// What a trial says of the model; NaN if it was not measured, or has no such value.
namespace evalfleet::reduce {

[[nodiscard]] inline double if_measured(const TrialRow& row, double value) noexcept {
    return row.is_measured() ? value : TrialRow::kNone;
}
[[nodiscard]] inline double measured_score(const TrialRow& row) noexcept {
    return if_measured(row, row.sample_score);
}
[[nodiscard]] inline double measured_pass(const TrialRow& row) noexcept {
    return if_measured(row, row.rubric_passed == 0 ? 0.0 : 1.0);
}
[[nodiscard]] inline double measured_spec_pass(const TrialRow& row) noexcept {
    return if_measured(row, row.spec_passed == 0 ? 0.0 : 1.0);
}

}  // namespace evalfleet::reduce
