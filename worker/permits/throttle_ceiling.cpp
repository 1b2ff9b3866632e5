#include "worker/permits/throttle_ceiling.hpp"

#include "worker/permits/throttle_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

using namespace throttle;

ServerTime ThrottleCeiling::cut_at() const noexcept {
    return ServerTime(static_cast<std::int64_t>(cut_at_));
}

bool ThrottleCeiling::is_sound() const noexcept {
    const auto is_ceiling = [](double calls) { return calls >= 1 && calls <= kMost; };
    const auto is_rate = [](double rate) { return rate >= 0 && rate <= kMost; };
    return stage_ >= 0 && stage_ <= static_cast<double>(Stage::blocked) && is_ceiling(calls_) &&
           is_ceiling(saved_calls_) && is_rate(rate_) && is_rate(saved_rate_) && is_rate(base_) &&
           std::abs(cut_at_) < 1e15;
}

LimitChange ThrottleCeiling::observe(const LimitTick& tick) {
    const auto now = static_cast<double>(tick.now.count());
    // Answers to calls of an earlier limit count as well.
    minute_.add(now, std::max(tick.sums.answered, count_calls(tick.sums.service)));
    note_typical(tick.sums.service);
    if (stage() == Stage::blocked) {
        add(tick);
        return observe_blocked(now);
    }
    // Refusals come at once, answers only after a round trip.
    if (now < settled_at_) return {};
    add(tick);
    switch (stage()) {
        case Stage::testing:
            return find() == Finding::open ? LimitChange{} : end_test(now);
        case Stage::probing:
            return decide_probe(now);
        default:
            if (test_.evidence <= 0) begin_window();
            if (is_excessive()) return recuts_ > 0 ? cut_again(now) : begin_episode(now);
            return stage() == Stage::holding ? hold(now) : LimitChange{};
    }
}

void ThrottleCeiling::note_typical(const ServiceByPurpose& service) {
    const double calls = count_calls(service);
    if (calls == 0) return;
    const double share = typical_ms_ == 0 ? 1 : std::min(1.0, calls / kTypicalCalls);
    typical_ms_ += share * (typical_ms(service) - typical_ms_);
}

void ThrottleCeiling::add(const LimitTick& tick) {
    const double refused = tick.sums.refused(), total = tick.sums.total();
    window_.add(tick.sums);
    window_ms_ += tick.elapsed_ms;
    running_refused_ += tick.running * refused;
    leg_.refused += refused;
    leg_.total += total;
    leg_.ms += tick.elapsed_ms;
    leg_.running += tick.running * tick.elapsed_ms;
    if (test_.high <= 0) watch();
    test_.add(refused, total);
    // More than is tolerated may be refused by a limit while more is tried.
    if (noise_ > 0 && total > 0 && stage() != Stage::probing)
        noise_ += std::min(kNoiseFades, total / kNoiseCalls) * (refused / total - noise_);
    if (noise_ < kLeastUsualShare) noise_ = 0;
}

void ThrottleCeiling::begin_window() {
    window_ = {};
    window_ms_ = 0;
    running_refused_ = 0;
    test_.evidence = 0;
}

/// Calls that are sent from `counts_from` on are those of the present limit.
void ThrottleCeiling::begin_leg(double counts_from) {
    cut_at_ = counts_from;
    settled_at_ = counts_from + kSettled * typical_ms_;
    leg_ = {};
    begin_window();
    watch();
}

/// Looks out for more refusals than are tolerated.
void ThrottleCeiling::watch() {
    const bool is_open = calls_ == kMost && rate_ == 0;
    const double usual = rate_ > 0 ? kUsualSharePaced : is_open ? kUsualShareOpen : kUsualShare;
    const double high = rate_ > 0 ? kHighSharePaced : is_open ? kHighShareOpen : kHighShare;
    test_.begin(std::max(usual, 1.1 * noise_), std::max(high, 1.5 * noise_ + 0.04));
}

bool ThrottleCeiling::is_excessive() const {
    if (window_.refused() < kFewRefusals) return false;
    const double shortest =
        stage() == Stage::open && is_flood() ? kFloodWindowMs : kShortestWindowMs;
    if (window_ms_ < std::max(shortest, std::min(typical_ms_, kLongestRoundMs))) return false;
    if (serves_nothing()) return true;
    // A first alarm costs a test.
    if (test_.evidence < (stage() == Stage::open ? kFirstAlarm : ShareTest::kDecided)) return false;
    // Of a few calls many may be refused by chance; and a rate is known only once some were served.
    if (window_.total() >= kEnoughCalls || window_ms_ >= kLongestWindowMs) return true;
    if (stage() == Stage::open) return window_.refused() >= kManyRefusals;
    return window_.answered >= kEnoughAnswers;
}

/// So many are refused that there is no doubt.
bool ThrottleCeiling::is_flood() const noexcept {
    return window_.refused() >= kEnoughCalls && window_.refused() > kManyRefused * window_.total();
}

bool ThrottleCeiling::is_suspicious() const {
    if (stage() == Stage::open) return is_flood() || is_excessive();
    return stage() == Stage::blocked || stage() == Stage::testing || test_.evidence > kSuspicious;
}

/// A provider that lets calls time out was given too many, whatever was under way.
bool ThrottleCeiling::is_flooded() const noexcept {
    return window_.timed_out > window_.throttled + window_.overloaded;
}

bool ThrottleCeiling::serves_nothing() const {
    return window_.answered < 0.1 * window_.total();
}

/// What was under way while calls were refused, without those calls.
double ThrottleCeiling::served_calls() const {
    const double all = running_refused_ / window_.refused();
    return is_flooded() ? all / 2 : all - window_.refused_ms / window_ms_;
}

/// In doubt rather too high: that is noticed at once, too low only when more is tried. A window
/// begins where by chance many calls are refused and few answered, and answers come late. So unless
/// it is beyond doubt that less is served than before, all that was served at this limit counts,
/// and what was under way.
double ThrottleCeiling::served_rate() const {
    const double all = window_.total();
    const double window = window_.answered * 1e3 / window_ms_;
    const bool is_paced = rate_ > 0 && (leg_.ms < kAllAnswered * typical_ms_ || is_used());
    const double paced = is_paced ? rate_ * (all - window_.refused()) / all : 0;
    // Where calls are refused for what came long before, a window says little.
    const bool counts_by_minute = rate_ > 0 && probe_ms_ >= kLongestProbeMs;
    const double minute = counts_by_minute ? std::min(rate_, minute_.per_second()) : 0;
    const double least = std::max({kSlowestRate, window, paced, minute});
    if (window_.refused() >= kManyRefused * all || stage() == Stage::open) return least;
    const double mean_ms = typical_ms_ * std::exp(variance_of(window_.service) / 2);
    const double seen = std::max(least, leg_.served_rate());
    if (rate_ > 0 || calls_ == kMost || mean_ms == 0) return seen;
    return std::max(seen, std::min(kMostUnseen * seen, served_calls() * 1e3 / mean_ms));
}

LimitChange ThrottleCeiling::block(double now) {
    backoff_ms_ = kFirstBackoffMs;
    is_overload_ = window_.throttled < window_.refused() / 2 ? 1 : 0;
    if (is_overload_ == 0) probe_ms_ = kLongestProbeMs;
    blocked_served_ = minute_.total();
    blocked_at_ = now;
    calls_ = 1;
    rate_ = 0;
    const double rest = std::min(kLongestRestMs, std::max(backoff_ms_, window_.longest_rest_ms));
    LimitChange change{
        rest, fmt::format("{}; one call at a time after {:.1f} s", refusals(), rest / 1e3)};
    begin_leg(now);
    enter(Stage::blocked);
    return change;
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
    // By now what was served at first in that minute may be forgotten.
    const bool knows_rate =
        is_overload_ == 0 && std::max(minute_.total(), blocked_served_) >= kEnoughOfAMinute;
    const double served =
        std::max(minute_.per_second(), blocked_served_ * 1e3 / ServedMinute::kMinuteMs);
    // What served one call soon was not exhausted: it serves few at once.
    const bool is_short =
        now - blocked_at_ < kShortBlock * std::max(kShortestWindowMs, typical_ms_);
    const bool serves_few = is_overload_ == 0 && is_short && !knows_rate;
    calls_ = serves_few ? 1 : saved_calls_;
    rate_ = knows_rate ? std::max(kSlowestRate, served) : saved_rate_;
    unblocked_at_ = serves_few ? 0 : now;
    hold_ms_ = std::max(hold_ms_, first_hold_ms());
    go_on_from(now);
    recuts_ = 1;
    if (stage() == Stage::open) return {0, "calls are served again"};
    return {0, fmt::format("calls are served again; {}, as it served before", ceiling())};
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
