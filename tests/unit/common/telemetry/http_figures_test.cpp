#include "common/telemetry/http_figures.hpp"

#include <gmock/gmock.h>

namespace evalfleet::telemetry {
namespace {

using ::testing::HasSubstr;

http::RequestReport report(std::string_view route, int status) {
    http::RequestReport report;
    report.route = route;
    report.method = "GET";
    report.status = status;
    report.duration = std::chrono::milliseconds(3);
    return report;
}

TEST(HttpFigures, CountsRequestsByRouteAndClassOfStatus) {
    metrics::Registry registry("test");
    HttpFigures figures(registry);
    figures.on_request(report("/a", 200));
    figures.on_request(report("/a", 204));
    figures.on_request(report("/a", 503));
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr(R"(requests_total{program="test",route="/a",status="2xx"} 2)"));
    EXPECT_THAT(page, HasSubstr(R"(requests_total{program="test",route="/a",status="5xx"} 1)"));
    EXPECT_THAT(page, HasSubstr("request_duration_seconds_count{program=\"test\"} 3\n"));
}

TEST(HttpFigures, LeavesEventStreamsOutOfTheDurations) {
    metrics::Registry registry("test");
    HttpFigures figures(registry);
    figures.on_request(report("/api/v1/runs/{id}/events", 200));
    EXPECT_THAT(registry.text(), HasSubstr("request_duration_seconds_count{program=\"test\"} 0\n"));
}

TEST(HttpFigures, KnowsHowManyConnectionsAreOpen) {
    metrics::Registry registry("test");
    HttpFigures figures(registry);
    figures.on_connection_opened();
    figures.on_connection_opened();
    figures.on_connection_closed();
    EXPECT_THAT(registry.text(), HasSubstr("evalfleet_http_connections{program=\"test\"} 1\n"));
}

}  // namespace
}  // namespace evalfleet::telemetry
