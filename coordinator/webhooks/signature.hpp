#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::webhooks {

/// `sha256=` and the HMAC-SHA256, in hex, of `TIMESTAMP.BODY`. With the moment of sending in it a
/// receiver can refuse what is old. Pure.
[[nodiscard]] std::string sign(std::string_view secret, std::int64_t timestamp,
                               std::string_view body);

}  // namespace evalfleet::webhooks
