#pragma once

#include "coordinator/reduce/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::report {

/// A trial that passes in one run and fails in the other, with what was answered.
struct ComparedTrial {
    std::string name;  ///< of the sample
    std::uint32_t repeat = 1;
    bool now_passes = false;
    std::string question;  ///< empty: not known
    std::string reference;
    std::optional<std::string> base;  ///< the answers; none: there was none
    std::optional<std::string> candidate;
};

/// A slice of both runs. Described, not tested: some slice always moves most.
struct MovedSlice {
    std::string name;  ///< "lang: en"
    std::uint64_t trials = 0;
    double base = 0;  ///< pass rates
    double candidate = 0;
};

/// What a comparison is shown with.
struct ComparedRuns {
    std::string base;
    std::string candidate;
    std::vector<ComparedTrial> flipped{};  ///< by sample; some of them
    std::vector<MovedSlice> slices{};      ///< the largest differences first
};

/// The comparison as one file that needs nothing else: what it says, the metrics as a forest plot,
/// the trials that flipped by sample, with what differs in their answers. Pure.
[[nodiscard]] std::string to_html(const reduce::RunComparison& comparison,
                                  const ComparedRuns& runs);

}  // namespace evalfleet::report
