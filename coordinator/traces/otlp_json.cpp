#include "coordinator/traces/otlp_json.hpp"

#include "common/json/writer.hpp"
#include "common/version/version.hpp"

#include <cmath>
#include <string_view>
#include <type_traits>

namespace evalfleet::traces {

namespace {

constexpr int kStatusError = 2;

struct ValueWriter {
    json::Writer& writer;

    void operator()(const std::string& text) const { writer.member("stringValue", text); }
    void operator()(std::int64_t number) const {
        writer.member("intValue", std::to_string(number));
    }
    void operator()(bool flag) const { writer.member("boolValue", flag); }
    void operator()(double number) const {
        // JSON has no other way for them.
        if (std::isfinite(number))
            writer.member("doubleValue", number);
        else
            writer.member("stringValue", std::to_string(number));
    }
};

void write(json::Writer& writer, std::string_view key, const AttributeValue& value) {
    writer.begin_object().member("key", key).key("value").begin_object();
    std::visit(ValueWriter{writer}, value);
    writer.end_object().end_object();
}

void write(json::Writer& writer, const SpanEvent& event) {
    writer.begin_object()
        .member("timeUnixNano", std::to_string(event.at_ns))
        .member("name", event.name)
        .end_object();
}

void write(json::Writer& writer, const Span& span) {
    writer.begin_object().member("traceId", span.trace_id).member("spanId", span.id);
    if (!span.parent_id.empty()) writer.member("parentSpanId", span.parent_id);
    writer.member("name", span.name)
        .member("kind", static_cast<int>(span.kind))
        .member("startTimeUnixNano", std::to_string(span.begin_ns))
        .member("endTimeUnixNano", std::to_string(span.end_ns))
        .key("attributes")
        .begin_array();
    for (const auto& [key, value] : span.attributes)
        write(writer, key, value);
    writer.end_array();
    if (!span.events.empty()) {
        writer.key("events").begin_array();
        for (const SpanEvent& event : span.events)
            write(writer, event);
        writer.end_array();
    }
    if (!span.error.empty()) {
        writer.key("status").begin_object().member("code", kStatusError);
        writer.member("message", span.error).end_object();
    }
    writer.end_object();
}

void write_resource(json::Writer& writer, const Resource& resource) {
    writer.key("resource").begin_object().key("attributes").begin_array();
    if (!resource.contains("service.name"))
        write(writer, "service.name", AttributeValue(std::string("evalfleet")));
    for (const auto& [key, value] : resource)
        write(writer, key, AttributeValue(value));
    writer.end_array().end_object();
}

}  // namespace

std::string otlp_json(std::span<const Span> spans, const Resource& resource) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("resourceSpans").begin_array().begin_object();
    write_resource(writer, resource);
    writer.key("scopeSpans").begin_array().begin_object();
    writer.key("scope").begin_object().member("name", "evalfleet");
    writer.member("version", build_info().version).end_object();
    writer.key("spans").begin_array();
    for (const Span& span : spans)
        write(writer, span);
    writer.end_array().end_object().end_array().end_object().end_array().end_object();
    return out;
}

}  // namespace evalfleet::traces
