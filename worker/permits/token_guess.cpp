#include "worker/permits/token_guess.hpp"

#include "common/scoring/cost.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

std::int64_t TokenGuess::guess(std::size_t prompt_bytes, std::int64_t max_output) const {
    const std::int64_t prompt = scoring::estimate_tokens(prompt_bytes);
    if (seen_ < kEnough) return prompt + max_output;
    const auto usual = static_cast<std::int64_t>(std::ceil(mean_ + 2 * spread_));
    return prompt + std::min(usual, max_output);
}

void TokenGuess::learn(std::int64_t output_tokens) {
    const auto value = static_cast<double>(std::max<std::int64_t>(0, output_tokens));
    ++seen_;
    // The first answers weigh equally, so that none of them sticks.
    const double weight = std::max(kMemory, 1.0 / static_cast<double>(seen_));
    const double distance = std::abs(value - mean_);
    mean_ += weight * (value - mean_);
    spread_ = seen_ == 1 ? value / 2 : spread_ + weight * (distance - spread_);
}

}  // namespace evalfleet::worker
