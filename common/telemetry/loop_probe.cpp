#include "common/telemetry/loop_probe.hpp"

namespace evalfleet::telemetry {

namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

LoopProbe::LoopProbe(async::Clock& clock, metrics::Registry& registry)
    : clock_(clock),
      lag_(registry.histogram("evalfleet_event_loop_lag_seconds",
                              "How late the event loop woke up for a timer",
                              {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5},
                              {{"program", registry.program()}})) {}

boost::asio::awaitable<void> LoopProbe::run() {
    for (;;) {
        const async::TimePoint due = clock_.now() + kInterval;
        co_await clock_.wait_until(due);
        lag_.observe(clock_.now() - due);
    }
}

}  // namespace evalfleet::telemetry
