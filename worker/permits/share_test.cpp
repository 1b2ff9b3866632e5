#include "worker/permits/share_test.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kLeastShare = 0.001;
constexpr double kLeastDifference = 0.01;

}  // namespace

void ShareTest::begin(double usual_share, double high_share) noexcept {
    usual = std::clamp(usual_share, kLeastShare, 1 - 2 * kLeastDifference);
    high = std::clamp(high_share, usual + kLeastDifference, 1 - kLeastShare);
    evidence = 0;
}

void ShareTest::add(double refused, double total) noexcept {
    if (high <= 0) return;
    evidence +=
        refused * std::log(high / usual) + (total - refused) * std::log((1 - high) / (1 - usual));
}

}  // namespace evalfleet::worker
