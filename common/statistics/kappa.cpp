#include "common/statistics/kappa.hpp"

#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {

Kappa cohen_kappa(const Confusion& confusion) {
    Kappa kappa;
    std::array<double, 3> rows{};
    std::array<double, 3> columns{};
    double agreed = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const auto count = static_cast<double>(confusion[i][j]);
            kappa.count += confusion[i][j];
            rows[i] += count;
            columns[j] += count;
            if (i == j) agreed += count;
        }
    }
    if (kappa.count == 0) return kappa;
    const auto n = static_cast<double>(kappa.count);
    const double observed = agreed / n;
    double chance = 0;
    for (std::size_t i = 0; i < 3; ++i)
        chance += rows[i] / n * (columns[i] / n);
    kappa.observed = observed;
    if (chance >= 1) return kappa;
    kappa.value = (observed - chance) / (1 - chance);
    const double error = std::sqrt(observed * (1 - observed) / (n * (1 - chance) * (1 - chance)));
    kappa.ci95 = Interval{std::max(-1.0, *kappa.value - kZ95 * error),
                          std::min(1.0, *kappa.value + kZ95 * error)};
    return kappa;
}

}  // namespace evalfleet::statistics
