#pragma once

#include "common/providers/provider_config.hpp"
#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// The protocol that providers of a type speak. Lives as long as the program. The one place that
/// knows which types there are.
[[nodiscard]] const Protocol& find_protocol(providers::ProviderType type) noexcept;

}  // namespace evalfleet::worker
