#include "worker/permits/limit_pair.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kMiddle = 0.55;  // of what a queue would change
constexpr double kMostAtOnce = 6;
constexpr double kLeastVariance = 0.0025;
constexpr double kAssumedVariance = 0.04;
constexpr double kNewVariance = 0.3;  // what the last probe says of it

}  // namespace

void LimitPair::add(const ServiceChange& seen) {
    const double of_call = std::max(kLeastVariance, seen.error * seen.error * seen.weight);
    variance = variance == 0 ? of_call : variance + kNewVariance * (of_call - variance);
    const double of_queue = std::log(high / low);
    // How much likelier the change is if all calls beyond `low` queue than if none does.
    const double more = seen.weight * (seen.log_ratio - kMiddle * of_queue) * of_queue / variance;
    evidence += std::clamp(more, -kMostAtOnce, kMostAtOnce);
    evidence = std::clamp(evidence, -kDecided, kDecided);
}

double LimitPair::enough_calls() const {
    constexpr double kPlanned = 5;    // evidence
    constexpr double kShared = 1.25;  // calls of a probe for each that a comparison rests on
    const double of_queue = std::log(high / low);
    const double of_call = variance == 0 ? kAssumedVariance : variance;
    return kShared * kPlanned * of_call / (kMiddle * of_queue * of_queue);
}

}  // namespace evalfleet::worker
