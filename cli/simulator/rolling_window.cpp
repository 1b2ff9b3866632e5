#include "cli/simulator/rolling_window.hpp"

#include <algorithm>

namespace evalfleet::simulator {

void RollingWindow::forget(async::TimePoint now) {
    while (!taken_.empty() && taken_.front().at + length_ <= now) {
        sum_ -= taken_.front().amount;
        taken_.pop_front();
    }
}

std::optional<async::Duration> RollingWindow::wait(std::uint64_t amount, async::TimePoint now) {
    if (limit_ == 0) return std::nullopt;
    forget(now);
    if (amount > limit_) return length_;
    std::uint64_t left = sum_;
    if (left + amount <= limit_) return std::nullopt;
    for (const Taken& taken : taken_) {
        left -= taken.amount;
        if (left + amount <= limit_) return taken.at + length_ - now;
    }
    return length_;
}

void RollingWindow::take(std::uint64_t amount, async::TimePoint now) {
    if (limit_ == 0) return;
    taken_.push_back({now, amount});
    sum_ += amount;
}

std::optional<Allowance> RollingWindow::view(async::TimePoint now) {
    if (limit_ == 0) return std::nullopt;
    forget(now);
    Allowance allowance{limit_, limit_ - std::min(limit_, sum_), {}};
    if (!taken_.empty()) allowance.full_in = taken_.back().at + length_ - now;
    return allowance;
}

bool RollingWindow::is_unused(async::TimePoint now) {
    forget(now);
    return taken_.empty();
}

}  // namespace evalfleet::simulator
