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
constexpr double kMostlyRefused = 0.5;     // a share that is no chance
constexpr double kLeastTested = 10;        // calls of a test
constexpr double kLeastNoise = 0.08;       // share of refusals that a test can tell from none
constexpr double kEnoughNoise = 8;         // refusals in a test, to know their share
constexpr double kResidue = 0.01;          // share that a limit refuses at half of its rate
constexpr double kDoubtOfTest = 3;         // as a logarithm: 1 in 20
constexpr double kBurstMs = 300;           // what a rate lets go at once is less than that of it
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
    if (stage() == Stage::testing) return find() != Finding::open;
    if (is_cutting() && !is_excessive() && !shows_that_cut_helps())
        return window_ms_ >= kLongestCutWindowMs;
    if (window_ms_ >= kLongestWindowMs) return true;
    const double enough = rate_ > 0 ? kEnoughPacedCalls : kEnoughCalls;
    // More are refused than is tolerated, but it may be chance: more calls will tell.
    const bool holds_calls = calls_ < kMost && rate_ == 0;
    if (holds_calls && window_.refused() > tolerated() * window_.total() && !is_excessive())
        return false;
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
    const bool is_enough = window_.total() >= kEnoughCalls || window_ms_ >= kLongestWindowMs;
    return (is_enough || serves_nothing()) &&
           is_above(window_.refused(), window_.total(), tolerated());
}

bool ThrottleCeiling::is_suspicious() const {
    return stage() == Stage::blocked || stage() == Stage::testing || is_excessive();
}

/// A provider that lets calls time out was given too many, whatever was under way.
bool ThrottleCeiling::is_flooded() const noexcept {
    return window_.timed_out > window_.throttled + window_.overloaded;
}

/// What was under way while calls were refused, without those calls.
double ThrottleCeiling::served_calls() const {
    const double all = running_refused_ / window_.refused();
    const double served = all - window_.refused_ms / window_ms_;
    return std::clamp(is_flooded() ? all / 2 : served, 1.0, kMost);
}

double ThrottleCeiling::served_rate() const {
    return window_.answered * 1e3 / window_ms_;
}

/// What was served in the long run, once that is longer than the minute by which most providers
/// count: within it a window says little, since it may see a burst or nothing.
double ThrottleCeiling::sustained_rate() const {
    return long_ms_ >= kMinuteMs ? long_run_rate() : std::max(kSlowestRate, served_rate());
}

double ThrottleCeiling::long_run_rate() const {
    return std::max(kSlowestRate, long_answered_ * 1e3 / long_ms_);
}

bool ThrottleCeiling::serves_nothing() const {
    return window_.answered < 0.1 * window_.total();
}

LimitChange ThrottleCeiling::decide(double now) {
    if (stage() == Stage::testing) return end_test(now);
    if (!is_excessive()) return settle(now);
    switch (stage()) {
        case Stage::cutting_calls:
            return serves_nothing() ? block(now) : cut_rate(now, sustained_rate());
        case Stage::cutting_rate:
            return serves_nothing() ? block(now) : cut_again(now);
        default:
            return begin_episode(now);
    }
}

/// Calls are refused although the rate was cut to what was served.
LimitChange ThrottleCeiling::cut_again(double now) {
    if (recuts_ < kMostRecuts) {
        recuts_ += 1;
        return cut_rate(now, sustained_rate());
    }
    // The provider may still count what came before the cut.
    if (now - cut_at_ < kPatientMs) return {};
    served_calls_ = 0;
    return test(now);
}

LimitChange ThrottleCeiling::begin_episode(double now) {
    recuts_ = 0;
    saved_calls_ = calls_;
    saved_rate_ = rate_;
    const double share = window_.refused() / window_.total();
    if (window_.longest_rest_ms >= kLongRestMs && (is_real_ > 0 || share > kMostlyRefused))
        return block(now);
    if (serves_nothing() && served_calls() < 2) return block(now);
    served_calls_ = rate_ > 0 ? 0 : served_calls();
    // Calls that a flooded provider holds would time out at any rate.
    if (is_real_ == 0 && !is_flooded()) return test(now);
    share_before_ = share;
    return served_calls_ > 0 ? cut_calls(now, served_calls_) : cut_rate(now, sustained_rate());
}

LimitChange ThrottleCeiling::test(double now) {
    share_before_ = window_.refused() / window_.total();
    total_before_ = window_.total();
    // A provider that asks for a long rest counts by more than what this window has seen.
    const bool has_long_rest = window_.longest_rest_ms >= kLongRestMs;
    if (has_long_rest) served_calls_ = 0;
    served_rate_ = has_long_rest ? 0 : sustained_rate();
    rate_ = std::max(kSlowestRate, served_rate() / 2);
    // What is under way and the first burst still come to more than that.
    cut_at_ = now + std::min(kLongestRestMs, window_.longest_rest_ms) + typical_ms_ + kBurstMs;
    enter(Stage::testing);
    return {window_.longest_rest_ms,
            fmt::format("{}; testing with {:.3g} calls/s", refusals(), rate_)};
}

/// What the calls of a test say: a sequential test of a share of refusals near none against one
/// like before. That one is taken for smaller than it was seen, since an episode begins when by
/// chance many calls are refused.
ThrottleCeiling::Finding ThrottleCeiling::find() const {
    const double refused = window_.refused(), total = window_.total();
    if (total >= kLeastTested && serves_nothing()) return Finding::exhausted;
    if (is_above(refused, total, std::min(0.9, 1.5 * share_before_))) return Finding::exhausted;
    const double as_noise = std::max(kLeastNoise, share_before_ / 3);
    const double likelier_noise = refused * std::log(as_noise / kResidue) +
                                  (total - refused) * std::log((1 - as_noise) / (1 - kResidue));
    if (likelier_noise < -kDoubtOfTest) return Finding::limit;
    const bool is_sure = likelier_noise > kDoubtOfTest && refused >= kEnoughNoise;
    if (!is_sure && window_ms_ < kLongestCutWindowMs) return Finding::open;
    if (likelier_noise < 0) return Finding::limit;
    return refused > kMostlyRefused * total ? Finding::exhausted : Finding::noise;
}

/// Calls were refused at random, but before the test so many more that there is a limit as well.
bool ThrottleCeiling::were_clearly_more() const {
    const double share = window_.refused() / window_.total();
    const double refused = share_before_ * total_before_ + window_.refused();
    const double pooled = refused / (total_before_ + window_.total());
    const double variance = pooled * (1 - pooled) * (1 / total_before_ + 1 / window_.total());
    return total_before_ >= kEnoughCalls && share_before_ > 2 * share &&
           share_before_ - share > 2 * std::sqrt(variance);
}

LimitChange ThrottleCeiling::end_test(double now) {
    const Finding finding = find();
    const bool is_noise = finding == Finding::noise;
    if (is_noise) noise_ = window_.refused() / window_.total();
    if (is_noise && !were_clearly_more()) return tolerate(now);
    is_real_ = 1;
    rate_ = saved_rate_;
    if (finding == Finding::exhausted && serves_nothing()) return block(now);
    if (finding != Finding::exhausted && served_calls_ > 0) return cut_calls(now, served_calls_);
    if (served_rate_ == 0) return cut_rate(now, long_run_rate());
    return cut_rate(now, long_ms_ >= kMinuteMs ? sustained_rate() : served_rate_);
}

LimitChange ThrottleCeiling::cut_calls(double now, double calls) {
    lengthen_hold(calls_, calls);
    // What was served is an estimate: where it says nothing new it was too high before.
    const bool is_new = calls_ == kMost || calls < calls_ - 1;
    calls_ = is_new ? std::round(calls) : std::max(1.0, calls_ - std::max(1.0, 0.05 * calls_));
    cut_at_ = now;
    enter(Stage::cutting_calls);
    return {window_.longest_rest_ms,
            fmt::format("{}; calls at once cut to {:.0f}", refusals(), std::floor(calls_))};
}

LimitChange ThrottleCeiling::cut_rate(double now, double rate) {
    lengthen_hold(rate_, rate);
    // Calls a second are what counts: calls at once may go.
    if (rate_ > 0 && !is_cutting()) saved_calls_ = calls_;
    rate_ = rate;
    calls_ = saved_calls_;
    cut_at_ = now;
    enter(Stage::cutting_rate);
    return {window_.longest_rest_ms, fmt::format("{}; cut to {:.3g} calls/s", refusals(), rate_)};
}

LimitChange ThrottleCeiling::tolerate(double now) {
    noise_ = std::max(noise_, share_before_);
    is_real_ = 0;
    calls_ = saved_calls_;
    rate_ = saved_rate_;
    cut_at_ = now;
    enter(calls_ < kMost || rate_ > 0 ? Stage::holding : Stage::open);
    hold_until_ = now + hold_ms_;
    return {0, fmt::format("{:.0f} % of calls are refused at any load; nothing is cut for that",
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
    // While a ceiling grows, refusals may be those of a limit.
    if (noise_ > 0 && stage() != Stage::growing)
        noise_ += 0.05 * (window_.refused() / std::max(1.0, window_.total()) - noise_);
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
    rate_ = knows_rate ? long_run_rate() : 0;
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
