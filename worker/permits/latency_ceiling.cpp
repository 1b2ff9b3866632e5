#include "worker/permits/latency_ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kFewCalls = 2;         // of a round
constexpr double kManyCalls = 100;      // more say nothing new about a round
constexpr double kLeastToJudge = 3;
constexpr double kConfirming = 16;
constexpr double kProbing = 30;
constexpr double kManyProbing = 200;
constexpr double kRemembered = 256;     // calls of a window that is kept for long
constexpr double kSure = 2;             // standard errors
constexpr double kSideBySide = 0.8;     // of a round, without measuring again
constexpr double kWorthDoubling = 0.5;  // of what twice the calls could have brought
constexpr double kWorthMore = 0.7;      // of what a few more could
constexpr double kWorthLess = 0.3;      // of throughput, that fewer calls may cost
constexpr double kMore = 1.15;
constexpr double kLess = 0.87;
constexpr double kShortestHoldMs = 10'000;
constexpr double kLongestHoldMs = 60'000;
constexpr double kHoldCalls = 20;       // times the typical service time
constexpr double kMostPatience = 16;
constexpr double kFastestTickMs = 20;
constexpr double kUsualTickMs = 200;

/// What more calls at once brought, of what they could have: 1 if they were served side by side, 0
/// if all of them stood in a queue.
double worth(const ServiceChange& change, double from, double to) {
    return 1 - change.log_ratio / std::log(to / from);
}

/// The change lies on one side of `threshold` beyond doubt.
bool is_sure(const ServiceChange& change, double threshold) {
    return std::abs(change.log_ratio - threshold) > kSure * change.error;
}

}  // namespace

LatencyCeiling::LatencyCeiling(double first, double most, bool is_given)
    : limit_(std::floor(std::clamp(first, 1.0, most))), most_(most) {
    if (is_given) phase_ = static_cast<double>(Phase::holding);
}

ServerTime LatencyCeiling::measure_from() const noexcept {
    return ServerTime(static_cast<std::int64_t>(measure_from_));
}

bool LatencyCeiling::is_sound() const noexcept {
    return phase_ >= 0 && phase_ <= static_cast<double>(Phase::less) && most_ >= 1 &&
           most_ <= kMost && limit_ >= 1 && limit_ <= most_ && earlier_limit_ >= 0 &&
           earlier_limit_ <= kMost && std::abs(measure_from_) < 1e15;
}

double LatencyCeiling::tick_ms() const {
    const bool is_quick = phase() == Phase::doubling || phase() == Phase::confirming;
    const double typical = typical_ms(has_earlier() ? earlier_ : now_);
    return is_quick ? std::clamp(typical / 2, kFastestTickMs, kUsualTickMs) : kUsualTickMs;
}

bool LatencyCeiling::is_binding() const noexcept {
    return waited_ >= total_ / 2;
}

bool LatencyCeiling::has_earlier() const {
    return earlier_limit_ > 0 && count_calls(earlier_) > 0;
}

double LatencyCeiling::round() const {
    return std::clamp(limit_, kFewCalls, kManyCalls);
}

void LatencyCeiling::forget_window() {
    now_ = {};
    waited_ = 0;
    total_ = 0;
}

void LatencyCeiling::go(Phase phase, double limit, double measure_from) {
    phase_ = static_cast<double>(phase);
    limit_ = std::floor(std::clamp(limit, 1.0, most_));
    measure_from_ = measure_from;
    forget_window();
}

LimitChange LatencyCeiling::observe(const LimitTick& tick, double others, bool is_suspicious) {
    add(now_, tick.sums.service);
    waited_ += tick.sums.waited;
    total_ += tick.sums.total();
    const auto now = static_cast<double>(tick.now.count());
    if (others < limit_) {
        forget_window();
        return {};
    }
    if (is_suspicious || count_calls(now_) < kFewCalls) return {};
    if (!is_binding()) {
        if (count_calls(now_) >= round()) forget_window();
        return {};
    }
    switch (phase()) {
        case Phase::doubling:
            return decide_doubling(now);
        case Phase::confirming:
            return decide_confirming(now);
        case Phase::holding:
            return decide_holding(now);
        case Phase::more:
            return decide_more(now);
        case Phase::less:
            return decide_less(now);
    }
    return {};
}

LimitChange LatencyCeiling::double_up(double now) {
    earlier_ = now_;
    earlier_limit_ = limit_;
    patience_ = 1;
    if (limit_ >= most_) return hold(now, limit_, patience_);
    go(Phase::doubling, limit_ * 2, now);
    return {0, fmt::format("calls are served side by side; calls at once raised to {:.0f}", limit_)};
}

LimitChange LatencyCeiling::decide_doubling(double now) {
    if (count_calls(now_) < round()) return {};
    const auto change = has_earlier() ? compare(earlier_, now_) : std::nullopt;
    if (!change || worth(*change, earlier_limit_, limit_) > kSideBySide) return double_up(now);
    go(Phase::confirming, limit_, now);
    return {};
}

LimitChange LatencyCeiling::decide_confirming(double now) {
    const double calls = count_calls(now_);
    const auto change = compare(earlier_, now_);
    if (!change || calls < kLeastToJudge) return {};
    const double threshold = (1 - kWorthDoubling) * std::log(limit_ / earlier_limit_);
    if (calls < std::max(round(), kConfirming) && !is_sure(*change, threshold)) return {};
    if (change->log_ratio < threshold) return double_up(now);
    const double knee = limit_ * std::exp(-change->log_ratio);
    return hold(now, std::clamp(knee, earlier_limit_, limit_), 1);
}

LimitChange LatencyCeiling::hold(double now, double limit, double patience) {
    const double typical = typical_ms(has_earlier() ? earlier_ : now_);
    patience_ = std::min(patience, kMostPatience);
    const double before = limit_;
    go(Phase::holding, limit, now);
    hold_until_ =
        now + patience_ * std::clamp(kHoldCalls * typical, kShortestHoldMs, kLongestHoldMs);
    if (limit_ == before) return {};
    return {0, fmt::format("more calls only wait in the provider's queue; calls at once set to "
                           "{:.0f}",
                           limit_)};
}

LimitChange LatencyCeiling::decide_holding(double now) {
    const double calls = count_calls(now_);
    if (calls > kRemembered) {
        for (ServiceSums& sums : now_)
            ServiceSums::each(sums, [](double& number) { number /= 2; });
    }
    if (now < hold_until_ || calls < std::min(kConfirming, 4 * limit_ + kLeastToJudge)) return {};
    earlier_ = now_;
    earlier_limit_ = limit_;
    const bool goes_down = (is_down_next_ > 0 && limit_ >= 2) || limit_ >= most_;
    is_down_next_ = goes_down ? 0 : 1;
    falls_ = 0;
    rises_ = 0;
    if (!goes_down) return try_more(now, kMore);
    if (limit_ < 2) return hold(now, limit_, patience_ * 2);
    return try_less(now, kLess);
}

LimitChange LatencyCeiling::try_more(double now, double factor) {
    go(Phase::more, std::max(limit_ + 1, limit_ * factor), now + typical_ms(earlier_));
    return {0, fmt::format("trying {:.0f} calls at once", limit_)};
}

LimitChange LatencyCeiling::try_less(double now, double factor) {
    go(Phase::less, std::min(limit_ - 1, limit_ * factor), now);
    return {0, fmt::format("trying {:.0f} calls at once", limit_)};
}

LimitChange LatencyCeiling::decide_more(double now) {
    const double calls = count_calls(now_);
    const auto change = compare(earlier_, now_);
    if (!change || calls < kLeastToJudge) return {};
    const double threshold = (1 - kWorthMore) * std::log(limit_ / earlier_limit_);
    const double enough = std::clamp(4 * limit_, kProbing, kManyProbing);
    if (calls < enough && !is_sure(*change, threshold)) return {};
    if (change->log_ratio + change->error >= threshold) {
        return hold(now, earlier_limit_, rises_ == 0 ? patience_ * 2 : 1);
    }
    earlier_ = now_;
    earlier_limit_ = limit_;
    rises_ += 1;
    if (limit_ >= most_) return hold(now, limit_, 1);
    return try_more(now, std::min(2.0, std::pow(kMore, 1 + rises_)));
}

LimitChange LatencyCeiling::decide_less(double now) {
    const double calls = count_calls(now_);
    const auto change = compare(earlier_, now_);
    if (!change || calls < kLeastToJudge) return {};
    const double threshold = (1 - kWorthLess) * std::log(limit_ / earlier_limit_);
    const double enough = std::clamp(4 * limit_, kProbing, kManyProbing);
    if (calls < enough && !is_sure(*change, threshold)) return {};
    if (change->log_ratio + change->error < threshold) {
        // Throughput stays with fewer calls: still fewer may do as well.
        earlier_ = now_;
        earlier_limit_ = limit_;
        falls_ += 1;
        if (limit_ < 2) return hold(now, limit_, 1);
        return try_less(now, std::pow(kLess, 1 + falls_));
    }
    const double knee = earlier_limit_ * std::exp(std::min(0.0, change->log_ratio));
    if (falls_ == 0) return hold(now, earlier_limit_, patience_ * 2);
    return hold(now, std::clamp(knee, limit_, earlier_limit_), 1);
}

}  // namespace evalfleet::worker
