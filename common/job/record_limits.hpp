#pragma once

#include <cstdint>

/// How large the numbers of a record may be, for every reader of records: what one takes, the
/// others take, so that a record which was let into the log can be reduced.
namespace evalfleet::job {

/// Far beyond any figure, and sums and squares of a whole run of them are still finite.
inline constexpr double kLargestFigure = 1e100;
/// Of samples, of repeats, and of what is counted within one trial.
inline constexpr std::int64_t kMostIndex = 4294967294;
inline constexpr std::int64_t kMostHttpStatus = 999;

}  // namespace evalfleet::job
