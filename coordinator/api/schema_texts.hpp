#pragma once

#include <array>
#include <string_view>

namespace evalfleet::api {

/// A file of docs/schemas, and what the OpenAPI document calls it.
struct SchemaText {
    std::string_view name;
    std::string_view json;
};

/// Compiled in, so that the program never needs a file beside it.
[[nodiscard]] const std::array<SchemaText, 5>& schema_texts() noexcept;

}  // namespace evalfleet::api
