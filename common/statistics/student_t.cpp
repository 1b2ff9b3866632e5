#include "common/statistics/student_t.hpp"

#include "common/statistics/wilson.hpp"

#include <cmath>

namespace evalfleet::statistics {

double student_t95(double degrees) {
    return student_t(kZ95, degrees);
}

double student_t(double z, double degrees) {
    const double d = degrees;
    const double z3 = std::pow(z, 3);
    const double z5 = std::pow(z, 5);
    const double z7 = std::pow(z, 7);
    return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * std::pow(d, 3));
}

}  // namespace evalfleet::statistics
