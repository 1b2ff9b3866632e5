#pragma once

#include <string_view>

namespace evalfleet::api {

/// `components.schemas` of the OpenAPI document, as JSON: those of the API, and those of the files
/// that it hands out (docs/schemas).
[[nodiscard]] std::string_view schemas_json();

}  // namespace evalfleet::api
