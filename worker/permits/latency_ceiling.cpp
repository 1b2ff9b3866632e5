#include "worker/permits/latency_ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kFewCalls = 4;     // of a round; fewer say too little to compare with
constexpr double kManyCalls = 100;  // more say nothing new about a round
constexpr double kLeastToJudge = 3;
constexpr double kConfirming = 16;
constexpr double kProbing = 60;
constexpr double kManyProbing = 1'000;
constexpr double kProbingRounds = 16;
constexpr double kWholeRounds = 2;     // in fewer the slow calls are missing
constexpr double kRemembered = 1'024;  // calls of a window that is kept for long
constexpr double kLikely = 1;          // standard errors
constexpr double kRatherSure = 1.5;
constexpr double kSure = 2;
constexpr double kVerySure = 3;
constexpr double kSideBySide = 0.9;     // of a round, without measuring again
constexpr double kNearlySo = 0.8;       // of one that was measured again
constexpr double kWorthDoubling = 0.5;  // of what twice the calls could have brought
constexpr double kWorthMore = 0.5;      // of what a few more could
constexpr double kWorthLess = 0.3;      // of throughput, that fewer calls may cost
constexpr double kMore = 1.15;
constexpr double kLess = 0.87;
constexpr double kMostMore = 2;
constexpr double kMostLess = 0.5;
constexpr double kShortestHoldMs = 10'000;
constexpr double kLongestHoldMs = 60'000;
constexpr double kHoldCalls = 20;  // times the typical service time
constexpr double kMostPatience = 4;
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

bool is_below(const ServiceChange& change, double threshold, double errors) {
    return threshold - change.log_ratio > errors * change.error;
}

/// Calls of a trial after which it is decided, one way or the other.
double enough_calls(double limit) {
    return std::max(kWholeRounds * limit,
                    std::clamp(kProbingRounds * limit, kProbing, kManyProbing));
}

/// By how much, as a logarithm, a trial must change the limit so that a change of `share` of that
/// can be told from chance, after a window like this one and as many calls as a trial has.
double telling_step(const ServiceByPurpose& window, double limit, double share) {
    const auto noise = compare(window, window);
    if (!noise) return 0;
    const double calls = count_calls(window);
    const double deviation = noise->error * std::sqrt(calls / 2);
    const double error = deviation * std::sqrt(1 / calls + 1 / enough_calls(limit));
    return (kSure + kLikely) * error / share;
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
    const double typical = typical_ms(has_earlier() ? earlier_ : now_);
    return is_searching() ? std::clamp(typical / 2, kFastestTickMs, kUsualTickMs) : kUsualTickMs;
}

bool LatencyCeiling::is_binding() const noexcept {
    return waited_ >= total_ / 2;
}

bool LatencyCeiling::is_searching() const noexcept {
    return phase() == Phase::doubling || phase() == Phase::confirming;
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
    if (!is_binding()) return decide_unbound(now, tick.running);
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

/// Fewer calls are made than the limit allows, `running` of them. In a search it has been raised
/// past them, and nobody would find out any more that they queue.
LimitChange LatencyCeiling::decide_unbound(double now, double running) {
    if (count_calls(now_) < std::max(round(), kWholeRounds * running)) return {};
    const bool is_more = is_searching() && has_earlier() && running > earlier_limit_;
    const auto change = is_more ? compare(earlier_, now_) : std::nullopt;
    const double threshold = (1 - kWorthDoubling) * std::log(running / earlier_limit_);
    if (!change || !is_above(*change, threshold, kVerySure)) {
        forget_window();
        return {};
    }
    const double knee = running * std::exp(-change->log_ratio);
    return hold(now, std::clamp(knee, earlier_limit_, running), 1);
}

LimitChange LatencyCeiling::double_up(double now, bool is_side_by_side) {
    if (is_side_by_side) {
        // Such calls take the same time at any limit: together they say more.
        add(earlier_, now_);
        earlier_limit_ = limit_;
    }
    patience_ = 1;
    if (limit_ >= most_) return hold(now, limit_, patience_);
    go(Phase::doubling, limit_ * 2, now);
    return {0,
            fmt::format("calls are served side by side; calls at once raised to {:.0f}", limit_)};
}

LimitChange LatencyCeiling::decide_doubling(double now) {
    if (count_calls(now_) < round()) return {};
    const auto change = has_earlier() ? compare(earlier_, now_) : std::nullopt;
    if (!change || worth(*change, earlier_limit_, limit_) > kSideBySide)
        return double_up(now, true);
    go(Phase::confirming, limit_, now);
    return {};
}

LimitChange LatencyCeiling::decide_confirming(double now) {
    const double calls = count_calls(now_);
    const auto change = compare(earlier_, now_);
    if (calls < kLeastToJudge) return {};
    // Other calls than before, as verdicts only: they begin anew from what is known to be good.
    if (!change) return hold(now, earlier_limit_, 1);
    const double threshold = (1 - kWorthDoubling) * std::log(limit_ / earlier_limit_);
    const bool is_long = calls >= std::max(kWholeRounds * limit_, kConfirming);
    if (!is_long && !is_above(*change, threshold, kVerySure)) return {};
    // Too few calls at once by mistake cost more, and for longer, than too many: in doubt it goes
    // on, and the next round is compared with the same earlier ones.
    if (!is_above(*change, threshold, kRatherSure))
        return double_up(now, worth(*change, earlier_limit_, limit_) > kNearlySo);
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
    if (!goes_down) return try_more(now);
    if (limit_ < 2) return hold(now, limit_, patience_ * 2);
    return try_less(now);
}

LimitChange LatencyCeiling::try_more(double now) {
    const double telling = std::exp(telling_step(earlier_, limit_, 1 - kWorthMore));
    const double factor = std::min(kMostMore, std::max(telling, std::pow(kMore, 1 + rises_)));
    go(Phase::more, std::max(limit_ + 1, limit_ * factor), now + typical_ms(earlier_));
    return {0, fmt::format("trying {:.0f} calls at once", limit_)};
}

LimitChange LatencyCeiling::try_less(double now) {
    const double telling = std::exp(-telling_step(earlier_, limit_, kWorthLess));
    const double factor = std::max(kMostLess, std::min(telling, std::pow(kLess, 1 + falls_)));
    go(Phase::less, std::min(limit_ - 1, std::ceil(limit_ * factor)), now + typical_ms(earlier_));
    return {0, fmt::format("trying {:.0f} calls at once", limit_)};
}

/// Calls come back in the order of their service times: early on only the fast ones are known. So a
/// change for the worse may be believed at once, one for the better after whole rounds only, and
/// never for want of better knowledge.
LatencyCeiling::Verdict LatencyCeiling::judge(double worth_of_it) const {
    const double calls = count_calls(now_);
    const auto change = compare(earlier_, now_);
    if (calls < kLeastToJudge) return Verdict::open;
    if (!change) return Verdict::bad;
    const double threshold = (1 - worth_of_it) * std::log(limit_ / earlier_limit_);
    if (is_above(*change, threshold, kSure)) return Verdict::bad;
    if (is_below(*change, threshold, kSure) && calls >= kWholeRounds * limit_) return Verdict::good;
    return calls >= enough_calls(limit_) ? Verdict::bad : Verdict::open;
}

LimitChange LatencyCeiling::decide_more(double now) {
    const Verdict verdict = judge(kWorthMore);
    if (verdict == Verdict::open) return {};
    if (verdict == Verdict::bad) return hold(now, earlier_limit_, rises_ == 0 ? patience_ * 2 : 1);
    earlier_ = now_;
    earlier_limit_ = limit_;
    rises_ += 1;
    if (limit_ >= most_) return hold(now, limit_, 1);
    return try_more(now);
}

LimitChange LatencyCeiling::decide_less(double now) {
    const Verdict verdict = judge(kWorthLess);
    if (verdict == Verdict::open) return {};
    if (verdict == Verdict::good) {
        // Throughput stays with fewer calls: still fewer may do as well.
        earlier_ = now_;
        earlier_limit_ = limit_;
        falls_ += 1;
        if (limit_ < 2) return hold(now, limit_, 1);
        return try_less(now);
    }
    const auto change = compare(earlier_, now_);
    if (falls_ == 0 || !change) return hold(now, earlier_limit_, patience_ * 2);
    const double knee = earlier_limit_ * std::exp(std::min(0.0, change->log_ratio));
    return hold(now, std::clamp(knee, limit_, earlier_limit_), 1);
}

}  // namespace evalfleet::worker
