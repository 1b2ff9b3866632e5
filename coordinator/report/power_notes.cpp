#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

std::string power_sentence(const job::RunPower& power) {
    const statistics::PowerFigures& score = power.aggregate_score;
    if (!score.detectable) {
        return "What difference a run of this size could tell apart cannot be estimated: fewer "
               "than 6 samples have a score, or all scores are alike.";
    }
    std::string out = fmt::format(
        "From a run of this size over other samples an aggregate score would have to differ by {} "
        "to be told apart 4 times of 5; runs over the same samples are compared sample by sample, "
        "and evalfleet compare says what that finds.",
        show(*score.detectable, Unit::score));
    if (score.with_twice_the_samples)
        out += fmt::format(" Twice the samples: {};",
                           show(*score.with_twice_the_samples, Unit::score));
    out += score.with_twice_the_repeats
               ? fmt::format(" twice the repeats: {}.",
                             show(*score.with_twice_the_repeats, Unit::score))
               : std::string(" what repeats would bring is not known, for no sample was repeated.");
    return out;
}

}  // namespace evalfleet::report
