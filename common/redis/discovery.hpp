#pragma once

#include "common/redis/command.hpp"
#include "common/redis/config.hpp"
#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

namespace evalfleet::redis {

/// What a seed is asked: SENTINEL GET-MASTER-ADDR-BY-NAME, or CLUSTER SLOTS.
[[nodiscard]] Command discovery_question(const Discovery& discovery);

/// The server that a seed's reply names. `not_found`: it knows of none, another seed may.
/// `invalid`: not what the question asks for. A node that names no host for itself means the one it
/// was asked under. Pure.
[[nodiscard]] Result<Endpoint> read_discovery(const Discovery& discovery, Reply reply,
                                              const Endpoint& seed);

}  // namespace evalfleet::redis
