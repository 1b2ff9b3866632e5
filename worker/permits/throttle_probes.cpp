// What ThrottleCeiling tries above its base.
#include "worker/permits/throttle_ceiling.hpp"
#include "worker/permits/throttle_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

using namespace throttle;

namespace {

constexpr double kFirstHoldMs = 15'000;
constexpr double kLongestHoldMs = 240'000;
constexpr double kFirstHold = 20;  // the same in terms of calls, one after the other
constexpr double kLongestHold = 150;
constexpr double kLargestStep = 1.0;
constexpr double kLargestFirstStep = 0.3;
constexpr double kTellingMs = 60'000;  // of a first step
constexpr double kUsed = 0.8;          // of a ceiling, for it to grow
constexpr double kForgotten = 8;       // a ceiling grown so many times the cut is none
constexpr double kSeen = 0.8;          // of what a limit would refuse of the calls that are added
constexpr double kCallsProbeMs = 1'000;
constexpr double kRateProbeMs = 20'000;
constexpr double kUndecidedMs = 150'000;  // then a probe ends
constexpr double kUndecidedCalls = 60;    // the same, one after the other
constexpr double kIdleMs = 10'000;        // a base that is not used is looked at again
constexpr double kSomeEvidence = 1;       // that too much is refused at the base already
constexpr double kNearlyOneCall = 0.3;    // fewer are not worth trying a limit of one call at once
constexpr double kMuchSeen = 100;         // calls
constexpr double kAsMuch = 0.97;
constexpr double kKnownRounds = 4;
constexpr double kKnown = 30;        // calls that were served
constexpr double kOtherStep = 0.1;   // of a probe of the other kind
constexpr double kLeastOther = 0.1;  // the same in calls

}  // namespace

double ThrottleCeiling::first_hold_ms() const {
    return std::max(kFirstHoldMs, kFirstHold * typical_ms_);
}

double ThrottleCeiling::longest_hold_ms() const {
    return std::max(kLongestHoldMs, kLongestHold * typical_ms_);
}

double ThrottleCeiling::shortest_probe_ms() const {
    return std::max(probe_ms_, rate_ > 0 ? kRateProbeMs : kCallsProbeMs);
}

/// Refusals came only after a probe had passed: the provider remembers for longer.
void ThrottleCeiling::learn_memory() {
    if (passes_ > 0) probe_ms_ = std::min(kLongestProbeMs, 4 * shortest_probe_ms());
    passes_ = 0;
}

/// The present ceilings are the base from now on.
void ThrottleCeiling::go_on_from(double now) {
    step_ = kFirstStep;
    passes_ = 0;
    tried_ = 0;
    hold_until_ = now + hold_ms_;
    enter(calls_ < kMost || rate_ > 0 ? Stage::holding : Stage::open);
    begin_leg(now);
}

LimitChange ThrottleCeiling::hold(double now) {
    if (now < hold_until_ || test_.evidence > kSomeEvidence) return {};
    recuts_ = 0;
    has_held_ = 1;
    const Kind other = kind() == Kind::rate ? Kind::calls : Kind::rate;
    const bool tries_other = tried_ > 0;
    // The other kind is tried from what was served: that must be known.
    const double known = std::max(kKnown, calls_ < kMost ? kKnownRounds * calls_ : 0);
    if (tries_other && leg_.total - leg_.refused < known) return {};
    if (is_used()) return begin_probe(now, tries_other ? other : kind());
    if (leg_.ms > kIdleMs) leg_ = {};
    return {};
}

bool ThrottleCeiling::is_used() const {
    if (leg_.ms <= 0) return false;
    if (rate_ > 0) return leg_.served_rate() >= kUsed * rate_;
    return leg_.running / leg_.ms >= kUsed * std::floor(calls_);
}

/// Makes `value` the ceiling, of calls at once or of calls a second.
void ThrottleCeiling::set(Kind kind, double value) {
    calls_ = kind == Kind::calls ? std::clamp(std::round(value), 1.0, kMost) : kMost;
    rate_ = kind == Kind::rate ? std::clamp(value, kSlowestRate, kMost) : 0;
}

/// With few calls a second small steps would take too long to tell.
double ThrottleCeiling::least_step() const {
    if (rate_ == 0) return kFirstStep;
    const double told = ShareTest::kDecided / (kSeen * rate_ * kTellingMs / 1e3);
    return std::clamp(told / (1 - std::min(0.5, told)), kFirstStep, kLargestFirstStep);
}

/// From the base, in terms of the kind that is tried.
ThrottleCeiling::Probe ThrottleCeiling::plan_probe(Kind tried) const {
    const double step = std::max(step_, least_step());
    if (tried == kind() && tried == Kind::rate) return {rate_, rate_ * step};
    if (tried == kind()) return {calls_, std::max(1.0, std::round(calls_ * step))};
    if (tried == Kind::rate) return {leg_.served_rate(), leg_.served_rate() * kOtherStep};
    const double running = leg_.running / leg_.ms;
    return {running, std::ceil(running + kLeastOther) - running};
}

LimitChange ThrottleCeiling::begin_probe(double now, Kind tried) {
    const Probe probe = plan_probe(tried);
    base_leg_ = leg_;
    base_kind_ = static_cast<double>(kind());
    base_ = kind() == Kind::rate ? rate_ : calls_;
    set(tried, probe.from + probe.more);
    begin_leg(now);
    // More than is usual would have been noticed.
    const double most = std::max(kUsualShare, 1.1 * noise_);
    const double usual =
        std::clamp(base_leg_.refused / std::max(1.0, base_leg_.total), kLeastUsualShare, most);
    const double added = probe.more / (probe.from + probe.more);
    test_.begin(usual, usual + kSeen * (1 - usual) * added);
    enter(Stage::probing);
    return {0, "nothing more is refused; trying " + ceiling()};
}

std::string ThrottleCeiling::ceiling() const {
    return rate_ > 0 ? fmt::format("{:.3g} calls/s", rate_)
                     : fmt::format("{:.0f} calls at once", std::floor(calls_));
}

LimitChange ThrottleCeiling::decide_probe(double now) {
    // What was served before is no excuse for what is refused now.
    if (test_.evidence < -ShareTest::kDecided && leg_.ms >= kShortestWindowMs) {
        begin_window();
        test_.evidence = -ShareTest::kDecided;
    }
    if (leg_.ms < kShortestWindowMs) return {};
    const bool is_over = leg_.ms >= std::max(kUndecidedMs, kUndecidedCalls * typical_ms_);
    if (test_.shows_high() || (is_over && test_.evidence > 0)) return fail_probe(now);
    if (is_over || (test_.evidence <= -ShareTest::kDecided && leg_.ms >= shortest_probe_ms()))
        return pass_probe(now);
    return {};
}

LimitChange ThrottleCeiling::pass_probe(double now) {
    hold_ms_ = first_hold_ms();
    if (!is_used()) {
        set(static_cast<Kind>(base_kind_), base_);
        go_on_from(now);
        return {};
    }
    if (tried_ > 0) is_kind_sure_ = 1;
    tried_ = 0;
    passes_ += 1;
    // Every second one, so that the limit is not left far behind.
    if (std::fmod(passes_, 2) == 0) step_ = std::min(kLargestStep, 2 * step_);
    if (std::max(calls_ < kMost ? calls_ : 0, rate_) <= kMost / kForgotten)
        return begin_probe(now, kind());
    calls_ = kMost;
    rate_ = 0;
    go_on_from(now);
    return {0, "nothing more is refused; no limit is kept"};
}

/// What was added is refused. What is limited may be of the other kind: with few calls at once a
/// limit of calls a second lets more go if they are spread, and the other way round.
LimitChange ThrottleCeiling::fail_probe(double now) {
    const Kind failed = kind(), base = static_cast<Kind>(base_kind_);
    if (failed == Kind::rate && base == Kind::calls && serves_as_much()) {
        is_kind_sure_ = 1;
        set(Kind::rate, leg_.served_rate());
        go_on_from(now);
        return {0, refusals() + "; spread to " + ceiling()};
    }
    const double level = failed == Kind::rate ? rate_ : calls_, passes = passes_;
    LimitChange change{0, refusals() + "; back to "};
    const bool is_served_rate = failed == Kind::rate && base == failed &&
                                probe_ms_ < kLongestProbeMs && window_.answered >= kEnoughAnswers &&
                                window_ms_ >= kShortestWindowMs;
    set(base, is_served_rate ? std::clamp(served_rate(), base_, level) : base_);
    change.reason += ceiling();
    const bool tries_other = failed == base && is_kind_sure_ == 0 &&
                             running_at_base() > kNearlyOneCall && running_at_base() < kFewCalls;
    is_kind_sure_ = failed != base ? 1 : 0;
    if (!tries_other)
        hold_ms_ = std::min(longest_hold_ms(), std::max(2 * hold_ms_, first_hold_ms()));
    go_on_from(now);
    passes_ = passes;
    tried_ = tries_other ? 1 : 0;
    if (tries_other) hold_until_ = now + first_hold_ms() / 3;
    return change;
}

/// A rate that was a little too high served as much as the base does.
bool ThrottleCeiling::serves_as_much() const {
    return leg_.total >= kMuchSeen && leg_.served_rate() >= kAsMuch * base_leg_.served_rate();
}

double ThrottleCeiling::running_at_base() const {
    return base_leg_.running / std::max(1.0, base_leg_.ms);
}

}  // namespace evalfleet::worker
