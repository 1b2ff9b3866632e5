#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {

namespace {

enum class Ends { none, all_no, all_yes };

Interval wilson(double p, double trials, Ends ends) {
    constexpr double z = kZ95;
    const double divisor = 1 + z * z / trials;
    const double centre = (p + z * z / (2 * trials)) / divisor;
    const double half =
        z * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials)) / divisor;
    return {ends == Ends::all_no ? 0.0 : centre - half,
            ends == Ends::all_yes ? 1.0 : centre + half};
}

Ends ends_of(std::uint64_t count, std::uint64_t n) noexcept {
    if (count == 0) return Ends::all_no;
    return count == n ? Ends::all_yes : Ends::none;
}

}  // namespace

std::optional<Interval> wilson_interval(std::uint64_t count, std::uint64_t n) {
    if (n == 0) return std::nullopt;
    const auto trials = static_cast<double>(n);
    return wilson(static_cast<double>(count) / trials, trials, ends_of(count, n));
}

void ClusteredRate::add_sample(std::uint64_t hits, std::uint64_t trials) noexcept {
    if (trials == 0) return;
    ++samples_;
    trials_ += trials;
    hits_ += hits;
    hits_hits_ += hits * hits;
    hits_trials_ += hits * trials;
    trials_trials_ += trials * trials;
}

void ClusteredRate::take_back_sample(std::uint64_t hits, std::uint64_t trials) noexcept {
    if (trials == 0) return;
    --samples_;
    trials_ -= trials;
    hits_ -= hits;
    hits_hits_ -= hits * hits;
    hits_trials_ -= hits * trials;
    trials_trials_ -= trials * trials;
}

std::optional<double> ClusteredRate::rate() const noexcept {
    if (trials_ == 0) return std::nullopt;
    return static_cast<double>(hits_) / static_cast<double>(trials_);
}

double ClusteredRate::effective_trials() const noexcept {
    const auto m = static_cast<double>(samples_);
    const auto n = static_cast<double>(trials_);
    if (!has_repeats()) return n;
    if (samples_ < 2 || ends_of(hits_, trials_) != Ends::none) return m;
    const double p = *rate();
    const double spread = static_cast<double>(hits_hits_) -
                          2 * p * static_cast<double>(hits_trials_) +
                          p * p * static_cast<double>(trials_trials_);
    const double variance = m / (m - 1) * spread / (n * n);
    return variance <= 0 ? n : std::clamp(p * (1 - p) / variance, m, n);
}

std::optional<Interval> ClusteredRate::ci95() const {
    if (trials_ == 0) return std::nullopt;
    return wilson(*rate(), effective_trials(), ends_of(hits_, trials_));
}

}  // namespace evalfleet::statistics
