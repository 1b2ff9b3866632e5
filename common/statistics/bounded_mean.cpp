#include "common/statistics/bounded_mean.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace evalfleet::statistics {

namespace {

constexpr std::size_t kClasses = 4096;
constexpr double kMostValues = 1e9;

struct Term {
    double value;
    double weight;
};

// The cumulant generating function of the sum of weight x value x an exponential random number,
// and its derivatives. Weights of Dirichlet's distribution are such numbers divided by their sum,
// which does not change the sign of the sum.
struct Cumulants {
    double value = 0;
    double first = 0;
    double second = 0;
};

Cumulants cumulants_at(const std::vector<Term>& terms, double s) {
    Cumulants k;
    for (const auto& [value, weight] : terms) {
        const double rest = 1 - s * value;
        const double slope = value / rest;
        k.value -= weight * std::log(rest);
        k.first += weight * slope;
        k.second += weight * slope * slope;
    }
    return k;
}

double normal_cdf(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_density(double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

// Where the first derivative is zero: it grows from -inf to inf between the poles. Newton's steps,
// halved where they leave what is known to hold the root.
double find_saddlepoint(const std::vector<Term>& terms, double least) {
    double low = 1 / least;
    double high = 0;  // the mean is above zero, so the root is below
    double s = 0;
    for (int step = 0; step < 200; ++step) {
        const Cumulants k = cumulants_at(terms, s);
        (k.first > 0 ? high : low) = s;
        double next = s - k.first / k.second;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (std::abs(next - s) <= 1e-12 * std::abs(next)) return next;
        s = next;
    }
    return s;
}

// The probability that the sum is not above zero, by the saddlepoint approximation of Lugannani and
// Rice (1980).
double probability_not_above_zero(const std::vector<Term>& terms) {
    double least = 0;
    double mean = 0;
    for (const auto& [value, weight] : terms) {
        least = std::min(least, value);
        mean += weight * value;
    }
    if (mean <= 0) return 1;
    if (least >= 0) return 0;
    const double s = find_saddlepoint(terms, least);
    const Cumulants k = cumulants_at(terms, s);
    const double w = -std::sqrt(std::max(0.0, -2 * k.value));
    const double u = s * std::sqrt(k.second);
    // Too near to the middle for the difference of the two; one half is far from any level.
    if (w > -1e-4 || u > -1e-4) return 0.5;
    return std::clamp(normal_cdf(w) + normal_density(w) * (1 / w - 1 / u), 0.0, 1.0);
}

}  // namespace

BoundedMean::BoundedMean(double lowest, double highest)
    : lowest_(lowest), highest_(highest), classes_(kClasses) {}

void BoundedMean::add(double value) {
    const double within = std::clamp(value, lowest_, highest_);
    const double place = (within - lowest_) / (highest_ - lowest_) * (kClasses - 1);
    Class& one = classes_[static_cast<std::size_t>(place)];
    one.sum += within;
    ++one.count;
    ++count_;
}

double BoundedMean::p_above_zero(double times) const {
    std::vector<Term> terms{{lowest_, 1}};
    for (const Class& one : classes_) {
        if (one.count == 0) continue;
        const auto weight = static_cast<double>(one.count);
        terms.push_back({one.sum / weight, weight * times});
    }
    return probability_not_above_zero(terms);
}

std::uint64_t BoundedMean::count_needed(double level) const {
    if (count_ == 0) return 0;
    const auto now = static_cast<double>(count_);
    double enough = 1;
    while (p_above_zero(enough) > level) {
        enough *= 2;
        if (enough * now > kMostValues) return 0;
    }
    double less = enough / 2;
    if (enough == 1) return count_;
    while ((enough - less) * now > 0.5) {
        const double middle = (enough + less) / 2;
        (p_above_zero(middle) > level ? less : enough) = middle;
    }
    return static_cast<std::uint64_t>(std::ceil(enough * now));
}

}  // namespace evalfleet::statistics
