#pragma once

#include "common/http/headers.hpp"

#include <string_view>

namespace evalfleet::access {

/// A page of another site, open in the browser of somebody who may call us, could make that browser
/// call. Browsers say where a request comes from; what says so must be our own page. Programs that
/// are no browsers say nothing, and pass. Pure.
[[nodiscard]] bool is_from_another_site(const http::Headers& headers);

/// Whether the request was meant for this machine by one of its own names. A coordinator without
/// tokens answers nothing else: a name of another site that was made to point to 127.0.0.1 would
/// otherwise make that site's pages "the same site".
[[nodiscard]] bool is_for_loopback(const http::Headers& headers);

/// 127.0.0.0/8, ::1 or localhost; without a port.
[[nodiscard]] bool is_loopback_name(std::string_view host);

}  // namespace evalfleet::access
