#include "common/telemetry/redis_figures.hpp"

#include <numeric>
#include <string>

namespace evalfleet::telemetry {

namespace {

struct Figures {
    Figures(metrics::Registry& registry, const metrics::Labels& labels)
        : connected(registry.gauge("evalfleet_redis_connected",
                                   "1 if the connection to Redis is ready", labels)),
          connects(registry.counter("evalfleet_redis_connects_total",
                                    "Connections to Redis that became ready", labels)),
          connect_failures(registry.counter("evalfleet_redis_connect_failures_total",
                                            "Attempts to connect to Redis that failed", labels)),
          disconnects(registry.counter("evalfleet_redis_disconnects_total",
                                       "Ready connections to Redis that were lost", labels)),
          commands(
              registry.counter("evalfleet_redis_commands_total", "Commands sent to Redis", labels)),
          errors(registry.counter("evalfleet_redis_errors_total",
                                  "Commands that failed, for whatever reason", labels)),
          sent(registry.counter("evalfleet_redis_sent_bytes_total", "Bytes written to Redis",
                                labels)),
          received(registry.counter("evalfleet_redis_received_bytes_total", "Bytes read from Redis",
                                    labels)) {}

    void update(const redis::Client& client) {
        const redis::ClientMetrics now = client.metrics();
        const auto raise = [](metrics::Counter& counter, std::uint64_t total) {
            counter.raise_to(static_cast<double>(total));
        };
        const bool is_ready = client.state().phase == redis::ConnectionState::Phase::ready;
        connected.set(is_ready ? 1 : 0);
        raise(connects, now.connects);
        raise(connect_failures, now.connect_failures);
        raise(disconnects, now.disconnects);
        raise(commands, now.commands);
        raise(errors, std::accumulate(now.errors.begin(), now.errors.end(), std::uint64_t{0}));
        raise(sent, now.bytes_written);
        raise(received, now.bytes_read);
    }

    metrics::Gauge connected;
    metrics::Counter connects;
    metrics::Counter connect_failures;
    metrics::Counter disconnects;
    metrics::Counter commands;
    metrics::Counter errors;
    metrics::Counter sent;
    metrics::Counter received;
};

}  // namespace

void publish(metrics::Registry& registry, const redis::Client& client,
             std::string_view connection) {
    const metrics::Labels labels{{"program", registry.program()},
                                 {"connection", std::string(connection)}};
    registry.on_collect(
        [figures = Figures(registry, labels), &client]() mutable { figures.update(client); });
}

}  // namespace evalfleet::telemetry
