#pragma once

#include "cli/doctor/redis_checks.hpp"
#include "common/redis/config.hpp"

namespace evalfleet::doctor {

/// Asks a redis-server what `check_redis` wants to know: PING, INFO, TIME and FUNCTION LIST, within
/// some seconds. Changes nothing. Blocks.
[[nodiscard]] RedisFacts blocking_probe_redis(redis::Config config);

}  // namespace evalfleet::doctor
