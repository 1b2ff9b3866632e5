#pragma once

#include <chrono>
#include <random>

namespace evalfleet::redis {

/// When a server comes back, a fleet that reconnects in step knocks it over again. Exponential
/// back-off makes each client come less often, full jitter spreads them: the n-th delay is drawn
/// evenly from nothing up to min(max, initial * 2^n).
class Backoff {
  public:
    struct Config {
        std::chrono::milliseconds initial{100};
        std::chrono::milliseconds max{5'000};
    };

    explicit Backoff(Config config) noexcept : config_(config), ceiling_(config.initial) {}

    /// The delay before the next attempt. The ceiling doubles.
    [[nodiscard]] std::chrono::milliseconds next(std::mt19937_64& random);

    /// After a success: begins anew.
    void reset() noexcept { ceiling_ = config_.initial; }

  private:
    Config config_;
    std::chrono::milliseconds ceiling_;  // of the next delay
};

}  // namespace evalfleet::redis
