#include "common/statistics/mean_limits.hpp"

#include "common/statistics/moments.hpp"
#include "common/statistics/student_t.hpp"
#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {
namespace {

// The upper limit if every value is multiplied by `sign` first.
double limit_of(std::span<const double> values, double sign, double highest) {
    const auto count = static_cast<double>(values.size()) + 1;
    double sum = highest;
    for (const double value : values)
        sum += sign * value;
    const double mean = sum / count;
    double squares = (highest - mean) * (highest - mean);
    double cubes = squares * (highest - mean);
    for (const double value : values) {
        const double from_mean = sign * value - mean;
        squares += from_mean * from_mean;
        cubes += from_mean * from_mean * from_mean;
    }
    // Moments of a mean with weights of Dirichlet's distribution, all parameters 1.
    const double variance = squares / (count * (count + 1));
    if (variance <= 0) return mean;
    const double deviation = std::sqrt(variance);
    const double third = 2 * cubes / (count * (count + 1) * (count + 2));
    const double skewness = third / (variance * deviation);
    const double steps = kZ95 + (kZ95 * kZ95 - 1) / 6 * skewness;  // Cornish and Fisher
    return std::min(highest, mean + steps * deviation);
}

}  // namespace

Interval student_interval(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    const double middle = mean(values).value_or(0);
    const double error = sample_stddev(values).value_or(0) / std::sqrt(count);
    const double half = student_t95(count - 1) * error;
    return {middle - half, middle + half};
}

double upper_limit(std::span<const double> values, double highest) {
    return limit_of(values, 1, highest);
}

Interval bounded_interval(std::span<const double> values, double reach) {
    const Interval student = student_interval(values);
    const double lower = std::min(student.lower, -limit_of(values, -1, reach));
    const double upper = std::max(student.upper, limit_of(values, 1, reach));
    return {std::max(-reach, lower), std::min(reach, upper)};
}

}  // namespace evalfleet::statistics
