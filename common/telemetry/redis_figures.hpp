#pragma once

#include "common/metrics/registry.hpp"
#include "common/redis/client.hpp"

#include <string_view>

namespace evalfleet::telemetry {

/// Publishes what a Redis client counts about its connection. `connection` tells the clients of a
/// program apart. The client must live as long as metrics are read.
void publish(metrics::Registry& registry, const redis::Client& client, std::string_view connection);

}  // namespace evalfleet::telemetry
