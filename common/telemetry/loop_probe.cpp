#include "common/telemetry/loop_probe.hpp"

#include <algorithm>

namespace evalfleet::telemetry {

namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr double kFading = 0.98;  // of what was the longest, a probe: half of it after 3.5 s

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
        const auto lag = clock_.now() - due;
        lag_.observe(lag);
        note(std::chrono::duration<double, std::milli>(lag).count());
    }
}

void LoopProbe::note(double lag_ms) noexcept {
    recent_ms_ = std::max(lag_ms, recent_ms_.load() * kFading);
}

}  // namespace evalfleet::telemetry
