#pragma once

#include "common/providers/provider_config.hpp"
#include "common/queue/permit_queue.hpp"

#include <map>
#include <string>

namespace evalfleet::worker {

/// The limit key of each provider. Providers whose keys have the same `api_key_id` share one, since
/// the other side counts by key: for each limit the strictest that any of them names. A provider
/// without such a label has one of its own. Pure.
[[nodiscard]] std::map<std::string, queue::LimitKey, std::less<>> limit_keys(
    const providers::Providers& providers);

}  // namespace evalfleet::worker
