#pragma once

namespace evalfleet::statistics {

/// The two limits of a confidence interval, both inclusive.
struct Interval {
    double lower = 0;
    double upper = 0;
    bool operator==(const Interval&) const = default;
};

}  // namespace evalfleet::statistics
