#pragma once

#include "common/http/server.hpp"
#include "common/metrics/registry.hpp"

#include <map>
#include <string>
#include <utility>

namespace evalfleet::telemetry {

/// Counts what a program's own HTTP server does. Belongs to the server's executor and must outlive
/// the server.
class HttpFigures final : public http::ServerObserver {
  public:
    explicit HttpFigures(metrics::Registry& registry);

    void on_request(const http::RequestReport& report) override;
    void on_connection_opened() override { connections_.add(1); }
    void on_connection_closed() override { connections_.add(-1); }

  private:
    [[nodiscard]] metrics::Counter& requests(const http::RequestReport& report);

    metrics::Registry& registry_;
    metrics::Gauge connections_;
    metrics::Histogram duration_;
    std::map<std::pair<std::string, int>, metrics::Counter> requests_;  // by route, status / 100
};

}  // namespace evalfleet::telemetry
