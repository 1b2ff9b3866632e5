#include "worker/permits/call_sums.hpp"

#include "worker/permits/number_list.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::worker {

namespace {

/// Sums of squares around the mean of a window.
struct Spread {
    explicit Spread(const ServiceSums& s)
        : xx(s.xx - s.x * s.x / s.calls),
          xy(s.xy - s.x * s.y / s.calls),
          yy(s.yy - s.y * s.y / s.calls) {}
    double xx;
    double xy;
    double yy;
};

/// How y follows x within both windows; longer answers never come sooner.
double slope_of(const Spread& one, const Spread& other) {
    constexpr double kMinSpread = 0.05;
    constexpr double kSteepest = 1.5;
    const double xx = one.xx + other.xx;
    if (xx < kMinSpread) return 0;
    return std::clamp((one.xy + other.xy) / xx, 0.0, kSteepest);
}

/// What the slope leaves unexplained.
double residue(const Spread& spread, double slope) {
    return std::max(0.0, spread.yy - 2 * slope * spread.xy + slope * slope * spread.xx);
}

}  // namespace

void ServiceSums::add(double time_ms, double output_tokens) {
    const double log_time = std::log(std::max(0.0, time_ms) + kSlackMs);
    const double log_tokens = std::log1p(std::max(0.0, output_tokens));
    calls += 1;
    y += log_time;
    yy += log_time * log_time;
    x += log_tokens;
    xx += log_tokens * log_tokens;
    xy += log_time * log_tokens;
}

void add(ServiceByPurpose& sums, const ServiceByPurpose& more) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].calls += more[i].calls;
        sums[i].y += more[i].y;
        sums[i].yy += more[i].yy;
        sums[i].x += more[i].x;
        sums[i].xx += more[i].xx;
        sums[i].xy += more[i].xy;
    }
}

double count_calls(const ServiceByPurpose& sums) {
    return sums[0].calls + sums[1].calls;
}

double typical_ms(const ServiceByPurpose& sums) {
    const double calls = count_calls(sums);
    if (calls <= 0) return 0;
    return std::max(0.0, std::exp((sums[0].y + sums[1].y) / calls) - ServiceSums::kSlackMs);
}

double variance_of(const ServiceByPurpose& sums) {
    double squares = 0;
    for (const ServiceSums& each : sums)
        if (each.calls > 0) squares += Spread(each).yy;
    return std::max(0.0, squares / std::max(1.0, count_calls(sums)));
}

void CallSums::add(const CallSums& other) {
    if (other.epoch < epoch) return;
    if (other.epoch > epoch) {
        *this = other;
        return;
    }
    longest_rest_ms = std::max(longest_rest_ms, other.longest_rest_ms);
    answered += other.answered;
    throttled += other.throttled;
    overloaded += other.overloaded;
    timed_out += other.timed_out;
    waited += other.waited;
    refused_ms += other.refused_ms;
    worker::add(service, other.service);
}

std::string CallSums::text() const {
    return to_number_list(*this);
}

std::optional<CallSums> CallSums::parse(std::string_view text) {
    return from_number_list<CallSums>(text);
}

std::optional<ServiceChange> compare(const ServiceByPurpose& earlier,
                                     const ServiceByPurpose& later) {
    // A few calls say little about how much calls vary: until there are more, this much is assumed.
    constexpr double kAssumedCalls = 2;
    constexpr double kAssumedVariance = 0.04;
    double weights = 0;
    double weighted = 0;
    double residues = kAssumedCalls * kAssumedVariance;
    double calls = kAssumedCalls;
    for (std::size_t i = 0; i < earlier.size(); ++i) {
        const ServiceSums& a = earlier[i];
        const ServiceSums& b = later[i];
        if (a.calls < 1 || b.calls < 1) continue;
        const Spread a_spread(a);
        const Spread b_spread(b);
        const double slope = slope_of(a_spread, b_spread);
        const double change =
            (b.y / b.calls - a.y / a.calls) - slope * (b.x / b.calls - a.x / a.calls);
        const double weight = a.calls * b.calls / (a.calls + b.calls);
        weights += weight;
        weighted += weight * change;
        residues += residue(a_spread, slope) + residue(b_spread, slope);
        calls += std::max(0.0, a.calls + b.calls - 2);
    }
    if (weights == 0) return std::nullopt;
    return ServiceChange{weighted / weights, std::sqrt(residues / calls / weights), weights};
}

}  // namespace evalfleet::worker
