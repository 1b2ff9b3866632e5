#include "common/telemetry/http_figures.hpp"

namespace evalfleet::telemetry {

namespace {

// It stays open for as long as somebody watches: its duration says nothing.
bool is_event_stream(std::string_view route) {
    return route.ends_with("/events");
}

}  // namespace

HttpFigures::HttpFigures(metrics::Registry& registry)
    : registry_(registry),
      connections_(registry.gauge("evalfleet_http_connections",
                                  "Connections to the program's own HTTP server",
                                  {{"program", registry.program()}})),
      duration_(registry.histogram("evalfleet_http_request_duration_seconds",
                                   "From the end of a request's head to the end of its reply",
                                   {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30},
                                   {{"program", registry.program()}})) {}

metrics::Counter& HttpFigures::requests(const http::RequestReport& report) {
    const std::pair key(std::string(report.route), report.status / 100);
    const auto found = requests_.find(key);
    if (found != requests_.end()) return found->second;
    const auto counter = registry_.counter("evalfleet_http_requests_total", "Requests answered",
                                           {{"program", registry_.program()},
                                            {"route", key.first},
                                            {"status", std::to_string(key.second) + "xx"}});
    return requests_.emplace(key, counter).first->second;
}

void HttpFigures::on_request(const http::RequestReport& report) {
    requests(report).increment();
    if (!is_event_stream(report.route)) duration_.observe(report.duration);
}

}  // namespace evalfleet::telemetry
