#pragma once

#include <string_view>

namespace evalfleet::api {

/// `components.schemas` of the OpenAPI document, as JSON.
[[nodiscard]] std::string_view schemas_json() noexcept;

}  // namespace evalfleet::api
