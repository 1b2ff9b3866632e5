#pragma once

#include "common/statistics/power.hpp"

namespace evalfleet::json {
class Writer;
}

namespace evalfleet::job {

/// The smallest difference to another run of this size, over other samples, that a two-sided test
/// at 5 % finds 4 times of 5; and what would make it smaller. Two runs over the same samples are
/// compared sample by sample, and tell more apart.
struct RunPower {
    statistics::PowerFigures aggregate_score;
    statistics::PowerFigures rubric_pass_rate;
    statistics::PowerFigures spec_pass_rate;
    bool operator==(const RunPower&) const = default;
};

/// As members of the object that is open in `writer`.
void write_power(json::Writer& writer, const RunPower& power);

}  // namespace evalfleet::job
