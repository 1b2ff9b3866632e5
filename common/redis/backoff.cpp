#include "common/redis/backoff.hpp"

#include <algorithm>

namespace evalfleet::redis {

std::chrono::milliseconds Backoff::next(std::mt19937_64& random) {
    const auto ceiling = std::min(ceiling_, config_.max);
    // Compared before it is doubled: no overflow, however many attempts.
    ceiling_ = ceiling > config_.max / 2 ? config_.max : ceiling * 2;
    std::uniform_int_distribution<std::chrono::milliseconds::rep> draw(0, ceiling.count());
    return std::chrono::milliseconds(draw(random));
}

}  // namespace evalfleet::redis
