#include "tests/chaos/plan.hpp"

#include <algorithm>
#include <random>

namespace evalfleet::chaos {

std::vector<Round> draw_rounds(std::vector<const Fault*> faults, std::size_t at_most,
                               std::uint32_t seed) {
    std::mt19937 random(seed);
    std::shuffle(faults.begin(), faults.end(), random);
    faults.resize(std::min(faults.size(), at_most));
    auto steerings = kSteerings;
    std::shuffle(steerings.begin(), steerings.end(), random);
    std::vector<Round> rounds;
    for (std::size_t i = 0; i < faults.size(); ++i)
        rounds.push_back({{faults[i]}, steerings[i % steerings.size()], random()});
    return rounds;
}

Round draw_sequence(const std::vector<const Fault*>& faults, std::size_t count,
                    std::uint32_t seed) {
    std::mt19937 random(seed);
    Round round{.steering = kSteerings[random() % kSteerings.size()]};
    while (round.faults.size() < count)
        round.faults.push_back(faults[random() % faults.size()]);
    round.seed = random();
    return round;
}

}  // namespace evalfleet::chaos
