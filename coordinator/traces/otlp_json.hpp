#pragma once

#include "common/traces/trace_config.hpp"
#include "coordinator/traces/span.hpp"

#include <span>
#include <string>

namespace evalfleet::traces {

/// The body of an OTLP/HTTP request (`ExportTraceServiceRequest`) in its JSON form: ids in hex,
/// moments and whole numbers as text. Pure.
[[nodiscard]] std::string otlp_json(std::span<const Span> spans, const Resource& resource);

}  // namespace evalfleet::traces
