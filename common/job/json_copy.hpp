#pragma once

#include "common/json/value.hpp"
#include "common/json/writer.hpp"

#include <string>

namespace evalfleet::job {

/// Writes a parsed value again: the order of members stays, spacing and number spelling become
/// canonical. For parts whose meaning is not ours.
void copy_json(json::Writer& writer, json::Value value);

[[nodiscard]] std::string json_text(json::Value value);

}  // namespace evalfleet::job
