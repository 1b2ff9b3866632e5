#pragma once

#include "common/http/headers.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace evalfleet::access {

inline constexpr std::string_view kSessionCookie = "evalfleet_session";

/// The value of a cookie of a request; empty if there is none. Pure.
[[nodiscard]] std::string_view cookie_of(const http::Headers& headers, std::string_view name);

/// A `Set-Cookie` for the session: no script reads it, no page of another site sends it, and with
/// TLS it goes over nothing else. `lifetime` 0 removes it. Pure.
[[nodiscard]] std::string set_session_cookie(std::string_view id, std::chrono::seconds lifetime,
                                             bool is_tls);

}  // namespace evalfleet::access
