#pragma once

#include "common/http/reply.hpp"
#include "common/http/request_context.hpp"

#include <string_view>

namespace evalfleet::web {

/// What the pages may do: run and ask for nothing but what comes from here. No script and no style
/// in the text of a page.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Whether somebody at a browser opened this address, so that he wants a page even if it is about a
/// failure. Programs and scripts of pages do not ask for HTML. Pure.
[[nodiscard]] bool wants_page(const http::RequestContext& request);

/// The failure that `problem` (problem+json) tells, as a page with the same status and headers. 401
/// leads to the sign-in and from there back. Pure.
[[nodiscard]] http::Reply error_page(const http::RequestContext& request, http::Reply problem);

}  // namespace evalfleet::web
