#pragma once

#include "common/statistics/interval.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace evalfleet::statistics {

/// How often two raters put things into each pair of three categories: rows are the first rater's.
using Confusion = std::array<std::array<std::uint64_t, 3>, 3>;

/// Cohen's kappa: agreement beyond what two raters with the same habits would have by chance. 1 is
/// always, 0 is no better than chance.
struct Kappa {
    std::uint64_t count = 0;           ///< things that both rated
    std::optional<double> observed{};  ///< share of agreement; none without any
    std::optional<double> value{};   ///< none where both used one and the same category throughout
    std::optional<Interval> ci95{};  ///< normal, by the large-sample variance; within [-1, 1]
};

[[nodiscard]] Kappa cohen_kappa(const Confusion& confusion);

}  // namespace evalfleet::statistics
