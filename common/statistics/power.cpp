#include "common/statistics/power.hpp"

#include "common/statistics/student_t.hpp"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {
namespace {

constexpr std::uint64_t kMostSamples = 1'000'000'000;

double normal_point(double probability) {
    return boost::math::quantile(boost::math::normal_distribution<double>(), probability);
}

// Standard errors that a true difference must be away from 0 to be found in 80 % of cases.
double errors_away(std::uint64_t samples, const Search& search) {
    constexpr double kPower = 0.8;
    const double runs = search.pairing == Pairing::paired ? 1 : 2;
    const double degrees = runs * static_cast<double>(samples - 1);
    const double found = student_t(normal_point(1 - search.level / 2), degrees);
    const double beyond = student_t(normal_point(kPower), degrees);
    // The spreads of these runs and of the next ones have an error of tails / 4n each, relative and
    // squared; what few values show of their tails is too little, so it counts half as much again.
    const double doubt = 0.75 * search.tails / static_cast<double>(samples);
    return found + beyond * std::sqrt(1 + (found + beyond) * (found + beyond) * doubt);
}

// d^2 = away^2 v(d) / samples, solved for d.
double solve(double samples, double variance, double growth, double away) {
    const double squared = away * away;
    if (growth <= 0) return std::sqrt(squared * variance / samples);
    const double a = samples + squared;
    const double b = squared * growth;
    return (b + std::sqrt(b * b + 4 * a * squared * variance)) / (2 * a);
}

double difference_for(std::uint64_t samples, double variance, const Search& search) {
    return solve(static_cast<double>(samples), variance, search.growth,
                 errors_away(samples, search));
}

}  // namespace

double typical_drop(std::span<const double> values) {
    if (values.empty()) return 0;
    const double highest = std::ranges::max(values);
    double squares = 0;
    double drops = 0;
    for (const double value : values) {
        squares += (highest - value) * (highest - value);
        drops += highest - value;
    }
    return drops > 0 ? squares / drops : 0;
}

double tails_of(std::span<const double> values) {
    if (values.empty()) return 0;
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values)
        sum += value;
    double squares = 0;
    double fourths = 0;
    for (const double value : values) {
        const double square = (value - sum / n) * (value - sum / n);
        squares += square;
        fourths += square * square;
    }
    return squares > 0 ? std::max(0.0, n * fourths / (squares * squares) - 3) : 0;
}

std::optional<double> detectable_difference(std::uint64_t samples, double variance,
                                            const Search& search) {
    if (samples < kFewestToPlan) return std::nullopt;
    const double difference = difference_for(samples, variance, search);
    if (!(difference > 0) || difference > search.reach) return std::nullopt;
    return difference;
}

std::optional<std::uint64_t> samples_to_detect(double difference, double variance,
                                               const Search& search) {
    if (!(variance > 0) && !(search.growth > 0)) return std::nullopt;
    const auto finds = [&](std::uint64_t samples) {
        return difference_for(samples, variance, search) <= difference;
    };
    std::uint64_t enough = kFewestToPlan;
    std::uint64_t too_few = kFewestToPlan - 1;
    while (!finds(enough)) {
        if (enough >= kMostSamples) return std::nullopt;
        too_few = enough;
        enough *= 2;
    }
    while (enough - too_few > 1) {
        const std::uint64_t middle = too_few + (enough - too_few) / 2;
        (finds(middle) ? enough : too_few) = middle;
    }
    return enough;
}

PowerFigures power_of(const VarianceComponents& spread, const Search& search) {
    const double runs = search.pairing == Pairing::paired ? 1 : 2;
    PowerFigures figures;
    figures.between_variance = spread.between();
    figures.within_variance = spread.within;
    figures.detectable = detectable_difference(spread.samples, runs * spread.of_means, search);
    if (!figures.detectable) return figures;
    figures.with_twice_the_samples =
        detectable_difference(2 * spread.samples, runs * spread.of_means, search);
    if (const auto repeated = spread.with_repeats_times(2))
        figures.with_twice_the_repeats =
            detectable_difference(spread.samples, runs * *repeated, search);
    return figures;
}

}  // namespace evalfleet::statistics
