#pragma once

#include "common/async/clock.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace evalfleet::access {

/// Lets each of many callers do so much a second, with a burst on top: a bucket of credit each,
/// which fills up steadily. Only so many buckets are kept; the one that was used longest ago goes
/// first, and comes back full. Pure.
class RateLimiter {
  public:
    struct Config {
        double per_second = 0;  ///< 0: no limit
        double burst = 0;       ///< how much may come at once
        std::size_t max_callers = 10'000;
    };

    explicit RateLimiter(Config config) : config_(config) {}

    /// Takes one credit of the caller. If there is none: how long until there is one again.
    [[nodiscard]] std::optional<std::chrono::milliseconds> take(std::string_view caller,
                                                                async::TimePoint now);

    [[nodiscard]] std::size_t count_callers() const noexcept { return buckets_.size(); }

  private:
    struct Bucket {
        std::string caller;
        double credit = 0;
        async::TimePoint filled{};
    };

    [[nodiscard]] Bucket& bucket_of(std::string_view caller, async::TimePoint now);

    Config config_;
    std::list<Bucket> buckets_;  // the one used last in front
    std::unordered_map<std::string_view, std::list<Bucket>::iterator> places_;
};

}  // namespace evalfleet::access
