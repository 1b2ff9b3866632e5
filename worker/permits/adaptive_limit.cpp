#include "worker/permits/adaptive_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace evalfleet::worker {

namespace {

/// Takes a number and the comma behind it off the front of `text`.
template <class Number>
bool take(std::string_view& text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
    return true;
}

bool is_limit(double number) {
    return std::isfinite(number) && number >= AdaptiveLimit::kLeast &&
           number <= AdaptiveLimit::kMost;
}

}  // namespace

void CallSignals::add_throttled(ServerTime sent) {
    throttled = std::max(throttled.value_or(sent), sent);
}

void CallSignals::add(const CallSignals& other) {
    successes += other.successes;
    faults += other.faults;
    if (other.throttled) add_throttled(*other.throttled);
}

bool CallSignals::empty() const noexcept {
    return *this == CallSignals{};
}

AdaptiveLimit AdaptiveLimit::parse(std::string_view text) {
    AdaptiveLimit limit;
    std::int64_t last_cut = 0;
    std::int64_t growth_from = 0;
    const bool good = take(text, limit.limit_) && take(text, limit.threshold_) &&
                      take(text, last_cut) && take(text, growth_from) && text.empty();
    if (!good || !is_limit(limit.limit_) || !is_limit(limit.threshold_)) return {};
    limit.last_cut_ = ServerTime(last_cut);
    limit.growth_from_ = ServerTime(growth_from);
    return limit;
}

std::string AdaptiveLimit::text() const {
    return fmt::format("{},{},{},{}", limit_, threshold_, last_cut_.count(), growth_from_.count());
}

void AdaptiveLimit::reckon(const CallSignals& signals, bool is_used, ServerTime now) {
    if (signals.throttled && *signals.throttled > last_cut_) {
        cut(now);
        return;
    }
    if (signals.faults > 0) growth_from_ = std::max(growth_from_, now + kFaultPause);
    if (is_used && now >= growth_from_) grow(signals.successes);
}

void AdaptiveLimit::cut(ServerTime now) {
    limit_ = std::max(kLeast, limit_ * kCut);
    threshold_ = limit_;
    last_cut_ = now;
}

void AdaptiveLimit::grow(std::uint64_t successes) {
    const auto count = static_cast<double>(successes);
    if (is_slow_start()) {
        limit_ = std::min({limit_ + count, limit_ * 2, threshold_});
    } else {
        const double rounds = std::min(1.0, count / limit_);
        limit_ = std::min(kMost, limit_ + rounds * std::max(1.0, limit_ * kGrowth));
    }
}

}  // namespace evalfleet::worker
