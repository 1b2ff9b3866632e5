#include "coordinator/traces/otlp_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace evalfleet::traces {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Span a_span() {
    Span span;
    span.trace_id = "0af7651916cd43dd8448eb211c80319c";
    span.id = "b7ad6b7169203331";
    span.name = "attempt";
    span.kind = SpanKind::client;
    span.begin_ns = 1'763'600'000'123'000'000;
    span.end_ns = 1'763'600'000'223'000'000;
    return span;
}

TEST(OtlpJson, HasTheShapeOfTheProtocol) {
    Span span = a_span();
    span.parent_id = "00f067aa0ba902b7";
    span.attributes.emplace_back("a.text", std::string("x\"y"));
    span.attributes.emplace_back("a.count", std::int64_t{7});
    span.attributes.emplace_back("a.share", 0.5);
    span.attributes.emplace_back("a.flag", true);
    span.events.push_back({"first byte", 1'763'600'000'200'000'000});
    span.error = "http_5xx";
    const std::string json = otlp_json(std::array{span}, {});
    EXPECT_THAT(
        json,
        HasSubstr(
            R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"evalfleet"}}]},"scopeSpans":[{"scope":{"name":"evalfleet","version":")"));
    EXPECT_THAT(
        json,
        HasSubstr(
            R"("spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","parentSpanId":"00f067aa0ba902b7","name":"attempt","kind":3,"startTimeUnixNano":"1763600000123000000","endTimeUnixNano":"1763600000223000000","attributes":[{"key":"a.text","value":{"stringValue":"x\"y"}},{"key":"a.count","value":{"intValue":"7"}},{"key":"a.share","value":{"doubleValue":0.5}},{"key":"a.flag","value":{"boolValue":true}}],"events":[{"timeUnixNano":"1763600000200000000","name":"first byte"}],"status":{"code":2,"message":"http_5xx"}}]}]}]})"));
}

TEST(OtlpJson, LeavesOutWhatASpanHasNot) {
    const std::string json = otlp_json(std::array{a_span()}, {});
    EXPECT_THAT(json, Not(HasSubstr("parentSpanId")));
    EXPECT_THAT(json, Not(HasSubstr("events")));
    EXPECT_THAT(json, Not(HasSubstr("status")));
}

TEST(OtlpJson, LetsTheOperatorNameTheService) {
    const std::string json = otlp_json(std::array{a_span()}, {{"service.name", "evals-eu"}});
    EXPECT_THAT(json, HasSubstr(R"("stringValue":"evals-eu")"));
    EXPECT_THAT(json, Not(HasSubstr(R"("stringValue":"evalfleet")")));
}

TEST(OtlpJson, TakesNumbersThatJsonHasNot) {
    Span span = a_span();
    span.attributes.emplace_back("x", std::numeric_limits<double>::infinity());
    EXPECT_THAT(otlp_json(std::array{span}, {}), HasSubstr(R"({"stringValue":"inf"})"));
}

}  // namespace
}  // namespace evalfleet::traces
