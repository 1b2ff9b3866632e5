#include "cli/simulator/rate_window.hpp"

namespace evalfleet::simulator {

namespace {

constexpr std::chrono::seconds kWindow{60};

}  // namespace

std::optional<async::Duration> RateWindow::refuse(async::TimePoint now) {
    if (limit_ == 0) return std::nullopt;
    while (!accepted_.empty() && accepted_.front() + kWindow <= now)
        accepted_.pop_front();
    if (accepted_.size() >= limit_) return accepted_.front() + kWindow - now;
    accepted_.push_back(now);
    return std::nullopt;
}

}  // namespace evalfleet::simulator
