#pragma once

#include "common/config/command_line.hpp"
#include "common/http/proxy.hpp"

namespace evalfleet::providers {

/// HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in lower case too. ALL_PROXY, of any kind, stands for
/// those of the first two that are not set.
[[nodiscard]] http::ProxyConfig read_proxy(const config::Environment& environment);

}  // namespace evalfleet::providers
