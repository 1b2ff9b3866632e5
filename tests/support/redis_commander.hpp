#pragma once

#include "common/redis/command.hpp"
#include "common/redis/reply.hpp"

#include <string>
#include <vector>

namespace evalfleet::testing {

/// Sends commands to the Redis behind a URL of any kind over one connection; their replies. Blocks.
/// Throws if one is not answered within 20 seconds, or is answered with an error.
std::vector<redis::Reply> blocking_command(const std::string& url,
                                           std::vector<redis::Command> commands);
redis::Reply blocking_command(const std::string& url, redis::Command command);

/// The same, again and again, until none is refused; false if that takes longer than a minute.
bool blocking_await_command(const std::string& url, const redis::Command& command);

}  // namespace evalfleet::testing
