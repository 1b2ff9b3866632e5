// How ThrottleCeiling answers too many refusals: is there a limit at all, and what was served?
#include "worker/permits/throttle_ceiling.hpp"
#include "worker/permits/throttle_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::worker {

using namespace throttle;

namespace {

constexpr double kMostlyRefused = 0.5;  // a share that is no chance
constexpr double kNoCall = 0.4;         // fewer calls at once than one: that is a rate
constexpr double kMostCallCuts = 2;     // in an episode, before it is a rate
constexpr double kUseless = 0.6;        // a cut that leaves this much of the share was useless
constexpr double kMostRateCuts = 3;
constexpr double kMostOfOneCall = 0.6;  // of one call's share of all
constexpr double kMostRecuts = 5;       // before it is tested again
constexpr double kLeastTested = 10;     // calls of a test
constexpr double kManyCalls = 50;       // an episode begins when by chance many of them are refused
constexpr double kLeastNoise = 0.08;    // share of refusals that a test can tell from none
constexpr double kEnoughNoise = 8;      // refusals in a test, to know their share
constexpr double kResidue = 0.01;       // share that a limit refuses at half of its rate
constexpr double kDoubtOfTest = 4;      // as a logarithm: 1 in 50
constexpr double kLongestTestMs = 60'000;
constexpr double kLongCalls = 2;  // times a typical one
constexpr double kBurstMs = 300;  // what a rate lets go at once is less than that of it
constexpr double kDoubt = 4;      // standard deviations

/// Is a count of refusals above a share of all calls beyond doubt?
bool is_above(double refused, double total, double share) {
    return refused >= kFewRefusals &&
           refused - share * total > kDoubt * std::sqrt(share * (1 - share) * total);
}

}  // namespace

LimitChange ThrottleCeiling::begin_episode(double now) {
    learn_memory();
    saved_calls_ = calls_;
    saved_rate_ = rate_;
    const double share = window_.refused() / window_.total();
    if (window_.longest_rest_ms >= kLongRestMs && (is_real_ > 0 || share > kMostlyRefused))
        return block(now);
    if (serves_nothing() && served_calls() < 2) return block(now);
    served_calls_ =
        rate_ > 0 || served_calls() < kNoCall ? 0 : std::clamp(served_calls(), 1.0, kMost);
    // Calls that a flooded provider holds would time out at any rate.
    if (is_real_ == 0 && !is_flooded()) return test(now);
    share_before_ = share;
    // Calls at once that were served for long are not limited: sometimes they come too fast.
    if (calls_ < kMost && share < kManyRefused) served_calls_ = 0;
    return served_calls_ > 0 ? cut_calls(now, served_calls_) : cut_rate(now, served_rate());
}

/// Calls are refused although they were cut to what was served.
LimitChange ThrottleCeiling::cut_again(double now) {
    // A provider that has just begun to serve again may count what came before.
    const bool is_exhausted = unblocked_at_ > 0 && now - unblocked_at_ < kLongestProbeMs &&
                              window_.refused() > kMostlyRefused * window_.total();
    if (serves_nothing() || is_exhausted) return block(now);
    const double share = window_.refused() / window_.total();
    const bool is_useless =
        has_held_ == 0 && share > kUseless * share_before_ && share < kManyRefused;
    if (is_useless || recuts_ >= kMostRecuts) {
        has_held_ = 1;  // two tests that say the same are no chance
        served_calls_ = rate_ > 0 ? 0 : calls_;
        saved_calls_ = std::max(calls_, saved_calls_);
        return test(now);
    }
    // One call too many would be refused always, and with it more of all calls.
    const bool may_be_calls =
        rate_ == 0 && calls_ > 1 && recuts_ < kMostCallCuts && share * calls_ > kMostOfOneCall;
    if (may_be_calls) return cut_calls(now, std::max(1.0, served_calls()));
    // Where a rate is of no use, calls at once may be what counts.
    const double running = leg_.running / std::max(1.0, leg_.ms);
    if (rate_ > 0 && recuts_ == kMostRateCuts && running > kOneCall && running < kFewCalls) {
        rate_ = 0;
        calls_ = kMost;
        return cut_calls(now, std::max(1.0, running));
    }
    return cut_rate(now, served_rate());
}

LimitChange ThrottleCeiling::cut_calls(double now, double calls) {
    // What was served is an estimate: where it says nothing new it was too high before.
    const bool is_new = calls_ == kMost || calls < calls_ - 1;
    const double least = calls_ == kMost ? 1 : calls_ / 2;
    calls_ = is_new ? std::round(std::max(least, calls))
                    : std::max(1.0, calls_ - std::max(1.0, kFirstStep * calls_));
    return cut(now, fmt::format("calls at once cut to {:.0f}", std::floor(calls_)));
}

LimitChange ThrottleCeiling::cut_rate(double now, double rate) {
    rate_ = rate_ > 0 ? std::clamp(rate, rate_ / 2, (1 - kFirstStep / 2) * rate_) : rate;
    calls_ = kMost;  // calls a second are what counts
    return cut(now, fmt::format("cut to {:.3g} calls/s", rate_));
}

LimitChange ThrottleCeiling::cut(double now, const std::string& what) {
    LimitChange change{window_.longest_rest_ms, fmt::format("{}; {}", refusals(), what)};
    recuts_ += 1;
    is_kind_sure_ = 0;
    hold_ms_ = std::max(hold_ms_, first_hold_ms());
    go_on_from(now);
    hold_until_ = std::max(hold_until_, now + change.rest_ms);
    return change;
}

LimitChange ThrottleCeiling::test(double now) {
    share_before_ = window_.refused() / window_.total();
    total_before_ = window_.total();
    // A provider that asks for a long rest counts by more than what this window has seen.
    const bool has_long_rest = window_.longest_rest_ms >= kLongRestMs;
    if (has_long_rest) served_calls_ = 0;
    served_rate_ = has_long_rest ? 0 : served_rate();
    rate_ = std::max(kSlowestRate, served_rate() / 2);
    // Calls of different length meet by chance: fewer at once as well.
    calls_ = std::min(calls_, std::max(1.0, std::floor(served_calls() / 2)));
    LimitChange change{window_.longest_rest_ms,
                       fmt::format("{}; testing with {:.3g} calls/s", refusals(), rate_)};
    // What is under way and the first burst still come to more than that.
    begin_leg(now + std::min(kLongestRestMs, change.rest_ms) + kLongCalls * typical_ms_ + kBurstMs);
    enter(Stage::testing);
    return change;
}

/// What the calls of a test say: a sequential test of a share of refusals near none against one
/// like before. That one is taken for smaller than it was seen, since an episode begins when by
/// chance many calls are refused.
ThrottleCeiling::Finding ThrottleCeiling::find() const {
    const double refused = window_.refused(), total = window_.total();
    if (window_ms_ < kShortestWindowMs) return Finding::open;
    if (total >= kLeastTested && serves_nothing()) return Finding::exhausted;
    if (is_above(refused, total, std::min(0.9, 1.5 * share_before_))) return Finding::exhausted;
    const double as_noise = std::max(kLeastNoise, share_before_ / 3);
    const double likelier_noise = refused * std::log(as_noise / kResidue) +
                                  (total - refused) * std::log((1 - as_noise) / (1 - kResidue));
    if (likelier_noise < -kDoubtOfTest) return Finding::limit;
    const bool is_sure = likelier_noise > kDoubtOfTest && refused >= kEnoughNoise;
    if (!is_sure && window_ms_ < kLongestTestMs) return Finding::open;
    if (likelier_noise < 0) return Finding::limit;
    return refused > kMostlyRefused * total ? Finding::exhausted : Finding::noise;
}

/// Calls were refused at random, but before the test so many more that there is a limit as well.
bool ThrottleCeiling::were_clearly_more() const {
    const double share = window_.refused() / window_.total();
    const double refused = share_before_ * total_before_ + window_.refused();
    const double pooled = refused / (total_before_ + window_.total());
    const double variance = pooled * (1 - pooled) * (1 / total_before_ + 1 / window_.total());
    return total_before_ >= kManyCalls && share_before_ > 2 * share &&
           share_before_ - share > kDoubt * std::sqrt(variance);
}

LimitChange ThrottleCeiling::end_test(double now) {
    const Finding finding = find();
    const bool is_noise = finding == Finding::noise;
    if (is_noise) noise_ = window_.refused() / window_.total();
    if (is_noise && !were_clearly_more()) return tolerate(now);
    is_real_ = 1;
    recuts_ = 0;
    calls_ = saved_calls_;
    rate_ = saved_rate_;
    if (finding == Finding::exhausted && serves_nothing()) return block(now);
    if (finding != Finding::exhausted && served_calls_ > 0) return cut_calls(now, served_calls_);
    return cut_rate(now, served_rate_ == 0 ? minute_.per_second() : served_rate_);
}

LimitChange ThrottleCeiling::tolerate(double now) {
    noise_ = std::max(noise_, share_before_);
    is_real_ = 0;
    has_held_ = 0;
    recuts_ = 0;
    calls_ = saved_calls_;
    rate_ = saved_rate_;
    go_on_from(now);
    return {0, fmt::format("{:.0f} % of calls are refused at any load; nothing is cut for that",
                           100 * noise_)};
}

}  // namespace evalfleet::worker
