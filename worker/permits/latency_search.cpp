#include "worker/permits/latency_ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kFewCalls = 4;  // of a round; fewer say too little to compare with
constexpr double kLeastToJudge = 3;
constexpr double kConfirming = 16;
constexpr double kMostConfirming = 64;
constexpr double kWholeRounds = 2;  // in fewer the slow calls are missing
constexpr double kInDoubt = 0.5;    // standard errors
constexpr double kRatherSure = 1.5;
constexpr double kSure = 2.5;
constexpr double kSideBySide = 0.9;     // of a round, without measuring again
constexpr double kNearlySo = 0.8;       // of one that was measured again
constexpr double kWorthDoubling = 0.5;  // of what twice the calls could have brought
constexpr double kStepErrors = 5;       // of where the search has ended: the first step,
constexpr double kFirstStep = 0.2;      // at most
constexpr double kClearlyLess = 0.9;    // of what runs, for a search to come back to

constexpr double kFastestTickMs = 20;
constexpr double kUsualTickMs = 200;

/// What more calls at once brought, of what they could have: 1 if they were served side by side, 0
/// if all of them stood in a queue.
double worth(const ServiceChange& change, double from, double to) {
    return 1 - change.log_ratio / std::log(to / from);
}

/// The change is above `threshold` by so many standard errors.
bool is_above(const ServiceChange& change, double threshold, double errors) {
    return change.log_ratio - threshold > errors * change.error;
}

/// How many times as long calls take on average when they queue, if the means of the logarithms
/// differ by `log_ratio`. All calls wait as long, short ones too: where service times vary much the
/// logarithms change by more than that of the mean. Reckoned for a lognormal distribution at three
/// points.
double queueing(double log_ratio, double variance) {
    const double mean = std::exp(variance / 2), point = std::exp(std::sqrt(3 * variance));
    const auto log_of = [&](double waited) {
        const double of_middle = waited * mean;
        return (4 * std::log1p(of_middle) + std::log1p(of_middle * point) +
                std::log1p(of_middle / point)) /
               6;
    };
    double least = 0, most = std::expm1(std::max(0.0, log_ratio));
    for (int i = 0; i < 30; ++i) {
        const double middle = (least + most) / 2;
        (log_of(middle) < log_ratio ? least : most) = middle;
    }
    return 1 + most;
}

}  // namespace

LatencyCeiling::LatencyCeiling(double first, double most, bool is_given)
    : limit_(std::floor(std::clamp(first, 1.0, most))), most_(most) {
    if (is_given) (void)keep(0, limit_, kLeastStep);
}

ServerTime LatencyCeiling::measure_from() const noexcept {
    return ServerTime(static_cast<std::int64_t>(measure_from_));
}

bool LatencyCeiling::is_sound() const noexcept {
    const bool is_limited = most_ >= 1 && most_ <= kMost && limit_ >= 1 && limit_ <= most_ &&
                            base_ >= 0 && base_ <= most_;
    const auto is_pair = [this](const LimitPair& pair) {
        return pair.low >= 1 && pair.high >= pair.low && pair.high <= most_ && pair.variance >= 0;
    };
    return phase_ >= 0 && phase_ <= static_cast<double>(Phase::below) && is_limited &&
           std::abs(measure_from_) < 1e15 && patience_ >= 0 && step_ >= 0 &&
           (is_searching() || (base_ >= 1 && is_pair(above_) && is_pair(below_)));
}

double LatencyCeiling::tick_ms() const {
    const double typical = typical_ms(has_before() ? before_ : now_);
    return is_searching() ? std::clamp(typical / 2, kFastestTickMs, kUsualTickMs) : kUsualTickMs;
}

bool LatencyCeiling::is_searching() const noexcept {
    return phase() == Phase::doubling || phase() == Phase::confirming;
}

bool LatencyCeiling::has_before() const {
    return base_ > 0 && count_calls(before_) > 0;
}

double LatencyCeiling::round() const {
    return std::max(limit_, kFewCalls);
}

void LatencyCeiling::forget_window() {
    now_ = {};
    waited_ = 0;
    total_ = 0;
}

void LatencyCeiling::go(Phase phase, double limit) {
    phase_ = static_cast<double>(phase);
    limit_ = std::floor(std::clamp(limit, 1.0, most_));
    forget_window();
}

LimitChange LatencyCeiling::observe(const LimitTick& tick, double others, bool is_suspicious) {
    const auto now = static_cast<double>(tick.now.count());
    if (is_searching() || now >= count_from_) {
        add(now_, tick.sums.service);
        waited_ += tick.sums.waited;
        total_ += tick.sums.total();
    }
    if (others < limit_) {
        forget_window();
        return {};
    }
    if (is_suspicious) return {};
    if (!is_searching()) return now < count_until_ ? LimitChange{} : end_leg(now, tick.running);
    if (count_calls(now_) < kFewCalls) return {};
    if (waited_ < total_ / 2) return decide_unbound(now, tick.running);
    return phase() == Phase::doubling ? decide_doubling(now) : decide_confirming(now);
}

/// Fewer calls are made than the limit allows, `running` of them: it has been raised past them, and
/// nobody would find out any more that they queue.
LimitChange LatencyCeiling::decide_unbound(double now, double running) {
    const double calls = count_calls(now_);
    if (calls < std::max(kConfirming, kWholeRounds * running)) return {};
    const bool is_more = has_before() && running > base_;
    const auto change = is_more ? compare(before_, now_) : std::nullopt;
    const bool is_long = calls >= std::max(kMostConfirming, 2 * kWholeRounds * running);
    const double clearly = -std::log(kClearlyLess);
    if (change && is_above(*change, clearly, kSure)) return end_search(now, running, *change, 1);
    // In doubt probes will tell.
    if (change && is_long && is_above(*change, clearly, kInDoubt))
        return end_search(now, running, *change, 2);
    if (!change || is_long) forget_window();
    return {};
}

LimitChange LatencyCeiling::double_up(double now, bool is_side_by_side) {
    if (is_side_by_side) {
        // Such calls take the same time at any limit: together they say more.
        add(before_, now_);
        base_ = limit_;
    }
    if (limit_ >= most_) return keep(now, limit_, kLeastStep);
    go(Phase::doubling, limit_ * 2);
    measure_from_ = now;
    return {0,
            fmt::format("calls are served side by side; calls at once raised to {:.0f}", limit_)};
}

LimitChange LatencyCeiling::decide_doubling(double now) {
    if (count_calls(now_) < round()) return {};
    const auto change = has_before() ? compare(before_, now_) : std::nullopt;
    if (!change || worth(*change, base_, limit_) > kSideBySide) return double_up(now, true);
    go(Phase::confirming, limit_);
    measure_from_ = now;
    return {};
}

LimitChange LatencyCeiling::decide_confirming(double now) {
    const double calls = count_calls(now_);
    const auto change = compare(before_, now_);
    if (calls < kLeastToJudge) return {};
    // Other calls than before, as verdicts only: they begin anew from what is known to be good.
    if (!change) return keep(now, base_, kLeastStep);
    const double threshold = (1 - kWorthDoubling) * std::log(limit_ / base_);
    if (calls < kWholeRounds * limit_) return {};
    if (is_above(*change, threshold, calls < kConfirming ? kVerySure : kSure))
        return end_search(now, limit_, *change, 1);
    if (is_above(*change, threshold, -kRatherSure) && calls < kMostConfirming) return {};
    // Too few calls at once by mistake cost more, and for longer, than too many: in doubt it goes
    // on, and the next round is compared with the same earlier ones.
    return double_up(now, worth(*change, base_, limit_) > kNearlySo);
}

/// Calls queue at `level`, by at least the change less so many standard errors.
LimitChange LatencyCeiling::end_search(double now, double level, const ServiceChange& change,
                                       double errors) {
    // Rather too many, as above.
    const double at_least = std::max(0.0, change.log_ratio - errors * change.error);
    const double knee = level / queueing(at_least, variance_of(before_));
    return keep(now, std::round(std::clamp(knee, base_ / 2, level)),
                std::min(kFirstStep, kStepErrors * change.error));
}

}  // namespace evalfleet::worker
