#include "worker/permits/throttle_ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kShortestWindowMs = 1'000;
constexpr double kLongestWindowMs = 10'000;
constexpr double kLongestCutWindowMs = 60'000;
constexpr double kTellingRefusals = 5;     // that a useless cut would have let happen
constexpr double kEnoughCalls = 20;        // in a window, before it may be longer than the shortest
constexpr double kEnoughPacedCalls = 100;  // the same while a rate is held
constexpr double kTolerated = 0.05;        // share of refusals that means nothing
constexpr double kToleratedPaced = 0.02;   // the same of a rate that was learnt
constexpr double kDoubt = 4;               // standard deviations
constexpr double kFewRefusals = 3;         // fewer mean nothing
constexpr double kUseless = 0.7;           // a cut that leaves this much of the share was useless
constexpr double kFirstHoldMs = 15'000;
constexpr double kLongestHoldMs = 240'000;
constexpr double kFirstStep = 0.05;
constexpr double kLargestStep = 1.0;
constexpr double kUsed = 0.8;     // of a ceiling, for it to grow
constexpr double kForgotten = 8;  // a ceiling grown so many times the cut is none
constexpr double kFirstBackoffMs = 500;
constexpr double kLongestBackoffMs = 5'000;
constexpr double kLongRestMs = 2'000;
constexpr double kLongestRestMs = 60'000;
constexpr double kLongRunMs = 120'000;    // after that, half of the long run is forgotten
constexpr double kEnoughOfALongRun = 20;  // calls
constexpr double kMinuteMs = 60'000;      // what most providers count by
constexpr double kPatientMs = 90'000;     // longer than they remember
constexpr double kMostRecuts = 2;         // of a rate in one episode
constexpr double kSlowestRate = 0.2;      // calls a second

/// Is a count of refusals above a share of all calls beyond doubt?
bool is_above(double refused, double total, double share) {
    return refused >= kFewRefusals &&
           refused - share * total > kDoubt * std::sqrt(share * (1 - share) * total);
}

/// Is a count of refusals less than `expected`, and not by chance?
bool is_clearly_less(double refused, double expected) {
    return refused + 2 * std::sqrt(refused) < expected;
}

}  // namespace

ServerTime ThrottleCeiling::cut_at() const noexcept {
    return ServerTime(static_cast<std::int64_t>(cut_at_));
}

bool ThrottleCeiling::is_sound() const noexcept {
    return stage_ >= 0 && stage_ <= static_cast<double>(Stage::blocked) && calls_ >= 1 &&
           calls_ <= kMost && saved_calls_ >= 1 && saved_calls_ <= kMost && rate_ >= 0 &&
           saved_rate_ >= 0 && std::abs(cut_at_) < 1e15;
}

LimitChange ThrottleCeiling::observe(const LimitTick& tick) {
    const auto now = static_cast<double>(tick.now.count());
    long_answered_ += tick.sums.answered;
    long_ms_ += tick.elapsed_ms;
    if (long_ms_ > kLongRunMs) {
        long_answered_ /= 2;
        long_ms_ /= 2;
    }
    if (count_calls(tick.sums.service) > 0) typical_ms_ = typical_ms(tick.sums.service);
    window_.add(tick.sums);
    window_ms_ += tick.elapsed_ms;
    running_ms_ += tick.running * tick.elapsed_ms;
    running_refused_ += tick.running * tick.sums.refused();
    if (stage() == Stage::blocked) return observe_blocked(now);
    if (!has_window()) return {};
    LimitChange change = decide(now);
    begin_window();
    return change;
}

void ThrottleCeiling::begin_window() {
    window_ = {};
    window_ms_ = 0;
    running_ms_ = 0;
    running_refused_ = 0;
}

bool ThrottleCeiling::has_window() const {
    if (window_ms_ < kShortestWindowMs) return false;
    if (is_cutting() && !is_excessive() && !shows_that_cut_helps())
        return window_ms_ >= kLongestCutWindowMs;
    if (window_ms_ >= kLongestWindowMs) return true;
    const double enough = rate_ > 0 ? kEnoughPacedCalls : kEnoughCalls;
    return window_ms_ >= typical_ms_ && (window_.total() >= enough || is_excessive());
}

bool ThrottleCeiling::is_cutting() const noexcept {
    return stage() == Stage::cutting_calls || stage() == Stage::cutting_rate;
}

/// Far fewer calls are refused than before the cut, and so many were made that it is no chance.
bool ThrottleCeiling::shows_that_cut_helps() const {
    const double as_before = kUseless * share_before_ * window_.total();
    return as_before >= kTellingRefusals && is_clearly_less(window_.refused(), as_before);
}

double ThrottleCeiling::tolerated() const {
    return std::max(rate_ > 0 ? kToleratedPaced : kTolerated, 1.5 * noise_);
}

bool ThrottleCeiling::is_excessive() const {
    return is_above(window_.refused(), window_.total(), tolerated());
}

bool ThrottleCeiling::is_suspicious() const {
    return stage() == Stage::blocked || is_excessive();
}

/// What was under way while calls were refused, without those calls.
double ThrottleCeiling::served_calls() const {
    const double all = running_refused_ / window_.refused();
    const double served = all - window_.refused_ms / window_ms_;
    // A provider that lets calls time out was given too many, whatever was under way.
    const bool is_flooded = window_.timed_out > window_.throttled + window_.overloaded;
    return std::clamp(is_flooded ? all / 2 : served, 1.0, kMost);
}

double ThrottleCeiling::served_rate() const {
    return window_.answered * 1e3 / window_ms_;
}

/// What was served in the long run, once that is longer than the minute by which most providers
/// count: within it a window says little, since it may see a burst or nothing.
double ThrottleCeiling::sustained_rate() const {
    const double rate = long_ms_ >= kMinuteMs ? long_answered_ * 1e3 / long_ms_ : served_rate();
    return std::max(kSlowestRate, rate);
}

bool ThrottleCeiling::serves_nothing() const {
    return window_.answered < 0.1 * window_.total();
}

LimitChange ThrottleCeiling::decide(double now) {
    if (!is_excessive()) return settle(now);
    switch (stage()) {
        case Stage::cutting_calls:
            return serves_nothing() ? block(now) : cut_rate(now);
        case Stage::cutting_rate:
            return serves_nothing() ? block(now) : judge_cut(now);
        default:
            return begin_episode(now);
    }
}

/// Calls are refused although the rate was cut to what was served.
LimitChange ThrottleCeiling::judge_cut(double now) {
    if (recuts_ < kMostRecuts) {
        recuts_ += 1;
        return cut_rate(now);
    }
    // The provider may still count what came before the cut.
    if (now - cut_at_ < kPatientMs) return {};
    const double as_before = kUseless * share_before_ * window_.total();
    const bool was_useful = is_clearly_less(window_.refused(), as_before);
    return was_useful ? begin_episode(now) : take_back(now);
}

LimitChange ThrottleCeiling::begin_episode(double now) {
    recuts_ = 0;
    saved_calls_ = calls_;
    saved_rate_ = rate_;
    share_before_ = window_.refused() / window_.total();
    if (window_.longest_rest_ms >= kLongRestMs) return block(now);
    if (serves_nothing() && served_calls() < 2) return block(now);
    if (rate_ == 0) return cut_calls(now);
    LimitChange change = cut_rate(now);
    // Calls a second were found to be what counts: calls at once may go.
    saved_calls_ = calls_;
    return change;
}

LimitChange ThrottleCeiling::cut_calls(double now) {
    const double served = served_calls();
    lengthen_hold(calls_, served);
    calls_ = std::min(calls_, served);
    cut_at_ = now;
    enter(Stage::cutting_calls);
    return {window_.longest_rest_ms,
            fmt::format("{}; calls at once cut to {:.0f}", refusals(), std::floor(calls_))};
}

LimitChange ThrottleCeiling::cut_rate(double now) {
    const double rate = sustained_rate();
    lengthen_hold(rate_, rate);
    rate_ = rate;
    calls_ = saved_calls_;
    cut_at_ = now;
    enter(Stage::cutting_rate);
    return {window_.longest_rest_ms, fmt::format("{}; cut to {:.3g} calls/s", refusals(), rate_)};
}

LimitChange ThrottleCeiling::take_back(double now) {
    noise_ = window_.refused() / window_.total();
    calls_ = saved_calls_;
    rate_ = saved_rate_;
    cut_at_ = now;
    enter(calls_ < kMost || rate_ > 0 ? Stage::holding : Stage::open);
    hold_until_ = now + hold_ms_;
    return {0, fmt::format("{:.0f} % of calls are refused at any load; the cuts are taken back",
                           100 * noise_)};
}

/// A cut that lands where the one before did has found the limit.
void ThrottleCeiling::lengthen_hold(double before, double after) {
    const bool confirms = before < kMost && before > 0 && after > before / 1.5;
    hold_ms_ = confirms ? std::min(kLongestHoldMs, hold_ms_ * 2) : kFirstHoldMs;
    hold_ms_ = std::max(hold_ms_, kFirstHoldMs);
    step_ = kFirstStep;
}

LimitChange ThrottleCeiling::settle(double now) {
    if (noise_ > 0) noise_ += 0.05 * (window_.refused() / std::max(1.0, window_.total()) - noise_);
    if (noise_ < 0.01) noise_ = 0;
    switch (stage()) {
        case Stage::cutting_calls:
        case Stage::cutting_rate:
            enter(Stage::holding);
            hold_until_ = now + hold_ms_;
            return {};
        case Stage::holding:
            if (now < hold_until_) return {};
            enter(Stage::growing);
            return grow(now);
        case Stage::growing:
            return now < hold_until_ ? LimitChange{} : grow(now);
        default:
            return {};
    }
}

LimitChange ThrottleCeiling::grow(double now) {
    std::string reason;
    const bool uses_rate = rate_ > 0 && served_rate() >= kUsed * rate_;
    const bool uses_calls = calls_ < kMost && running_ms_ / window_ms_ >= kUsed * calls_;
    if (!uses_rate && !uses_calls) return {};
    if (uses_rate) rate_ *= 1 + step_;
    if (uses_calls) calls_ += std::max(1.0, calls_ * step_);
    // A limit a minute shows only after a minute.
    if (!uses_rate || now - cut_at_ > kPatientMs) step_ = std::min(kLargestStep, step_ * 2);
    hold_until_ = now + hold_ms_ / 3;
    if (calls_ > kMost / kForgotten) calls_ = kMost;
    if (rate_ > kMost) rate_ = 0;
    if (calls_ == kMost && rate_ == 0) enter(Stage::open);
    if (rate_ > 0) return {0, fmt::format("nothing is refused; trying {:.3g} calls/s", rate_)};
    return {0, fmt::format("nothing is refused; trying {:.0f} calls at once", std::floor(calls_))};
}

LimitChange ThrottleCeiling::block(double now) {
    backoff_ms_ = kFirstBackoffMs;
    is_overload_ = window_.throttled < window_.refused() / 2 ? 1 : 0;
    calls_ = 1;
    rate_ = 0;
    cut_at_ = now;
    enter(Stage::blocked);
    const double rest = std::min(kLongestRestMs, std::max(backoff_ms_, window_.longest_rest_ms));
    return {rest, fmt::format("{}; one call at a time after {:.1f} s", refusals(), rest / 1e3)};
}

LimitChange ThrottleCeiling::observe_blocked(double now) {
    if (window_.answered > 0) return unblock(now);
    if (window_.refused() == 0) return {};
    backoff_ms_ = std::min(kLongestBackoffMs, backoff_ms_ * 2);
    const double rest = std::min(kLongestRestMs, std::max(backoff_ms_, window_.longest_rest_ms));
    LimitChange change{rest, fmt::format("{}; again after {:.1f} s", refusals(), rest / 1e3)};
    cut_at_ = now;
    begin_window();
    return change;
}

LimitChange ThrottleCeiling::unblock(double now) {
    const bool knows_rate = is_overload_ == 0 && long_answered_ >= kEnoughOfALongRun;
    calls_ = saved_calls_;
    rate_ = knows_rate ? std::max(kSlowestRate, long_answered_ * 1e3 / long_ms_) : 0;
    hold_ms_ = std::max(hold_ms_, kFirstHoldMs);
    hold_until_ = now + hold_ms_;
    step_ = kFirstStep;
    cut_at_ = now;
    enter(rate_ > 0 || calls_ < kMost ? Stage::holding : Stage::open);
    begin_window();
    if (rate_ == 0) return {0, "calls are served again"};
    return {0, fmt::format("calls are served again; {:.3g} calls/s, as it served before", rate_)};
}

std::string ThrottleCeiling::refusals() const {
    std::string text;
    const auto say = [&text](double count, const char* what) {
        if (count == 0) return;
        text += fmt::format("{}{:.0f} x {}", text.empty() ? "" : ", ", count, what);
    };
    say(window_.throttled, "429");
    say(window_.overloaded, "503 or 529");
    say(window_.timed_out, "timeout");
    return fmt::format("{} of {:.0f} calls", text, window_.total());
}

}  // namespace evalfleet::worker
