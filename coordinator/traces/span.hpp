#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace evalfleet::traces {

using AttributeValue = std::variant<std::string, std::int64_t, double, bool>;
using Attributes = std::vector<std::pair<std::string_view, AttributeValue>>;

/// As OpenTelemetry numbers them.
enum class SpanKind { internal = 1, client = 3 };

/// A moment within a span.
struct SpanEvent {
    std::string_view name;
    std::int64_t at_ns = 0;
};

/// A stretch of time of one trial. Moments are nanoseconds since 1970.
struct Span {
    std::string trace_id{};   ///< 32 digits
    std::string id{};         ///< 16 digits
    std::string parent_id{};  ///< empty: of nothing
    std::string name{};
    SpanKind kind = SpanKind::internal;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    Attributes attributes{};
    std::vector<SpanEvent> events{};
    std::string error{};  ///< why it failed; empty: it did not
};

}  // namespace evalfleet::traces
