#include "worker/permits/latency_ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

constexpr double kLeaning = 4;  // evidence that is enough to look the other way
constexpr double kMostStep = 0.8;
constexpr double kFewestRounds = 4;  // of a leg
constexpr double kMostRounds = 20;
constexpr double kShortestLegMs = 1'000;
constexpr double kLongestLegMs = 120'000;  // at the base
constexpr double kSettlingRounds = 2;
constexpr double kSettlingMs = 500;  // until all workers know, and have told what came before
constexpr double kLeastOfALeg = 3;   // calls
constexpr double kLeastPatience = 2;
constexpr double kMostPatience = 16;
constexpr double kQuickly = 2;  // probes
constexpr double kManyProbes = 6;
constexpr double kMovesToWiden = 2;  // in a row
constexpr double kMovesToSearch = 5;
constexpr double kUsed = 0.9;      // of a limit, that counts as all of it
constexpr double kChanged = 0.35;  // of the base's times, as a logarithm: the provider is another
constexpr double kChangedStep = 0.4;

/// The step whose effect a few rounds of calls can tell from chance.
double telling_step(double variance, double base) {
    constexpr double kNoise = 1.1;
    return std::min(kMostStep, std::expm1(std::sqrt(kNoise * variance / base)));
}

ServiceByPurpose sum_of(ServiceByPurpose one, const ServiceByPurpose& other) {
    add(one, other);
    return one;
}

}  // namespace

/// Keeps to `base` until probes have told otherwise.
LimitChange LatencyCeiling::keep(double now, double base, double step) {
    const double before = limit_;
    base_ = std::clamp(std::floor(base), 1.0, most_);
    step_ = std::clamp(step, kLeastStep, kMostStep);
    set_above();
    set_below();
    probed_ = 0;
    probes_ = 0;
    moved_ = 0;
    patience_ = kLeastPatience;
    begin_leg(Phase::at_base, base_, now, leg_ms(above_));
    if (limit_ == before) return {};
    return {0, fmt::format("more calls only wait in the provider's queue; calls at once set to "
                           "{:.0f}",
                           limit_)};
}

void LatencyCeiling::set_above() {
    const double step = std::max(step_, telling_step(above_.variance, base_));
    const double high = std::min(most_, std::max(base_ + 1, std::floor(base_ * (1 + step))));
    above_ = {base_, high, 0, above_.variance};
}

void LatencyCeiling::set_below() {
    const double step = std::max(step_, telling_step(below_.variance, base_));
    const double low = std::max(1.0, std::min(base_ - 1, std::ceil(base_ / (1 + step))));
    below_ = {low, base_, 0, below_.variance};
}

double LatencyCeiling::leg_ms(const LimitPair& pair) const {
    const double typical = typical_ms(has_before() ? before_ : now_);
    const double rounds = pair.enough_calls() / pair.high;
    return std::max(kShortestLegMs, std::clamp(rounds, kFewestRounds, kMostRounds) * typical);
}

double LatencyCeiling::base_leg_ms(const LimitPair& pair) const {
    const double leg = leg_ms(pair);
    return std::max(kLeastPatience * leg, std::min(patience_ * leg, kLongestLegMs));
}

void LatencyCeiling::begin_leg(Phase phase, double limit, double now, double ms) {
    const double typical = typical_ms(has_before() ? before_ : now_);
    count_from_ = now + kSettlingRounds * typical + kSettlingMs;
    count_until_ = count_from_ + ms;
    go(phase, limit);
}

bool LatencyCeiling::is_binding(double running) const noexcept {
    return waited_ >= total_ / 2 || running >= kUsed * limit_;
}

LimitChange LatencyCeiling::end_leg(double now, double running) {
    if (count_calls(now_) < kLeastOfALeg) return {};
    if (!is_binding(running)) {
        // Limits cannot be compared: no call waits.
        probed_ = 0;
        patience_ = kMostPatience;
        begin_leg(Phase::at_base, base_, now, base_leg_ms(above_));
        return {};
    }
    if (phase() != Phase::at_base) {
        probe_ = now_;
        begin_leg(Phase::at_base, base_, now, base_leg_ms(probed_ > 0 ? above_ : below_));
        return {};
    }
    const bool is_another = probes_ > 0 && has_changed();
    if (probed_ != 0 && !is_another) weigh_probe();
    before_ = now_;
    if (is_another) return keep(now, base_, kChangedStep);
    if (above_.shows_side_by_side()) return move_up(now);
    if (below_.shows_queue()) return move_down(now);
    return probe(now);
}

/// Calls take much longer, or much less, than before at the same limit.
bool LatencyCeiling::has_changed() const {
    const auto change = compare(before_, now_);
    return change && std::abs(change->log_ratio) > kChanged + kVerySure * change->error;
}

/// Compares the probe with the base before and after it.
void LatencyCeiling::weigh_probe() {
    const bool is_higher = probed_ > 0;
    const ServiceByPurpose base = sum_of(before_, now_);
    const auto change = is_higher ? compare(base, probe_) : compare(probe_, base);
    if (!change) return;
    (is_higher ? above_ : below_).add(*change);
}

/// A way that is certain again and again is long: larger steps.
void LatencyCeiling::note_move(double direction) {
    const bool is_quick = probes_ <= kQuickly;
    moved_ = is_quick && moved_ * direction >= 0 ? moved_ + direction : 0;
    if (std::abs(moved_) > kMovesToWiden) step_ = std::min(kMostStep, 2 * step_);
    probes_ = 0;
    probed_ = 0;
    patience_ = kLeastPatience;
}

LimitChange LatencyCeiling::move_up(double now) {
    note_move(1);
    base_ = above_.high;
    before_ = probe_;
    if (moved_ >= kMovesToSearch) return double_up(now, false);
    below_ = above_;
    set_above();
    begin_leg(Phase::at_base, base_, now, leg_ms(above_));
    return {0, fmt::format("calls are served side by side; calls at once raised to {:.0f}", base_)};
}

LimitChange LatencyCeiling::move_down(double now) {
    note_move(-1);
    base_ = below_.low;
    above_ = below_;
    set_below();
    before_ = probe_;
    begin_leg(Phase::at_base, base_, now, leg_ms(above_));
    return {0, fmt::format("more calls only wait in the provider's queue; calls at once set to "
                           "{:.0f}",
                           base_)};
}

/// Nothing above a base that may be too high.
bool LatencyCeiling::goes_above() const {
    const bool has_above = above_.high > base_;
    const bool has_below = below_.low < base_;
    if (!has_above || !has_below) return has_above;
    if (below_.evidence > -kLeaning) return false;
    if (above_.is_open()) return true;
    return !below_.is_open() && probed_ < 0;
}

/// The queue begins between this limit and the next.
void LatencyCeiling::narrow() {
    step_ = std::max(kLeastStep, step_ / 2);
    probes_ = 0;
    set_above();
    set_below();
}

LimitChange LatencyCeiling::probe(double now) {
    const bool has_above = above_.high > base_;
    const bool has_below = below_.low < base_;
    const bool is_sure = (!has_above || !above_.is_open()) && (!has_below || !below_.is_open());
    if (step_ > kLeastStep && (is_sure || probes_ >= kManyProbes)) narrow();
    patience_ = is_sure ? std::min(kMostPatience, patience_ * 2) : kLeastPatience;
    if (is_sure) moved_ = 0;
    if (!has_above && !has_below) {
        begin_leg(Phase::at_base, base_, now, base_leg_ms(above_));
        return {};
    }
    probed_ = goes_above() ? 1 : -1;
    probes_ += 1;
    if (probed_ > 0) {
        begin_leg(Phase::above, above_.high, now, leg_ms(above_));
    } else {
        begin_leg(Phase::below, below_.low, now, leg_ms(below_));
    }
    return {0, fmt::format("trying {:.0f} calls at once", limit_)};
}

}  // namespace evalfleet::worker
