#include "coordinator/access/rate_limiter.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::access {

RateLimiter::Bucket& RateLimiter::bucket_of(std::string_view caller, async::TimePoint now) {
    if (const auto place = places_.find(caller); place != places_.end()) {
        buckets_.splice(buckets_.begin(), buckets_, place->second);
        return buckets_.front();
    }
    if (buckets_.size() >= config_.max_callers) {
        places_.erase(buckets_.back().caller);
        buckets_.pop_back();
    }
    buckets_.push_front({std::string(caller), config_.burst, now});
    places_.emplace(buckets_.front().caller, buckets_.begin());
    return buckets_.front();
}

std::optional<std::chrono::milliseconds> RateLimiter::take(std::string_view caller,
                                                           async::TimePoint now) {
    if (config_.per_second <= 0) return std::nullopt;
    Bucket& bucket = bucket_of(caller, now);
    const double elapsed_s = std::chrono::duration<double>(now - bucket.filled).count();
    bucket.credit = std::min(config_.burst, bucket.credit + elapsed_s * config_.per_second);
    bucket.filled = now;
    if (bucket.credit >= 1) {
        bucket.credit -= 1;
        return std::nullopt;
    }
    const double wait_ms = (1 - bucket.credit) / config_.per_second * 1000;
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(wait_ms)));
}

}  // namespace evalfleet::access
