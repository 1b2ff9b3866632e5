#pragma once

#include "common/json/value.hpp"
#include "common/json/writer.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace evalfleet::json {

/// A copy of a parsed tree that can be changed. Of equal keys the last one stays.
[[nodiscard]] boost::json::value to_boost(Value value);

/// Writes a tree with the canonical numbers and strings; members keep their order.
void write(Writer& writer, const boost::json::value& value);

/// The canonical text of a tree. Use it instead of boost::json::serialize, whose numbers differ.
[[nodiscard]] std::string serialize(const boost::json::value& value,
                                    Layout layout = Layout::compact);

}  // namespace evalfleet::json
