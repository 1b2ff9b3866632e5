#include "common/statistics/bootstrap_percentile.hpp"

#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace evalfleet::statistics {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Half the width of the window in standard deviations of the rank: a replicate outside of it is
// not expected in the lifetime of the machine, and takes the slow way.
constexpr double kWindowDeviations = 8;

// Walks down weighted values from the top of a replicate until both neighbours of the percentile
// are passed. `above` draws lie over the first value given.
class Descent {
  public:
    Descent(std::uint64_t count, std::uint64_t above, double p)
        : position_(percentile_position(count, p)),
          count_(count),
          passed_(above),
          // With the highest value as the percentile there is no neighbour above it.
          next_(position_.index + 1 < count ? kNone : 0),
          valid_(above < count - std::min<std::uint64_t>(position_.index + 1, count - 1)) {}

    /// False if what is looked for lies above the values given.
    [[nodiscard]] bool valid() const noexcept { return valid_; }

    /// True once `result` is known.
    [[nodiscard]] bool step(double value, std::uint64_t weight) noexcept {
        passed_ += weight;
        if (std::isnan(next_) && passed_ >= count_ - position_.index - 1) next_ = value;
        if (passed_ < count_ - position_.index) return false;
        at_ = value;
        return true;
    }

    [[nodiscard]] double result() const noexcept {
        if (position_.index + 1 >= count_) return at_;
        return interpolate(at_, next_, position_.fraction);
    }

  private:
    PercentilePosition position_;
    std::uint64_t count_;
    std::uint64_t passed_;
    double next_;
    double at_ = 0;
    bool valid_;
};

}  // namespace

BootstrapPercentile::BootstrapPercentile(ClusterBootstrap::ValueOf value, double p,
                                         std::span<const std::uint32_t> cluster_begin)
    : value_(std::move(value)),
      p_(p),
      cluster_begin_(cluster_begin),
      counts_(cluster_begin.size() - 1),
      above_(cluster_begin.size() - 1) {
    std::vector<double> values;
    std::size_t widest = 1;
    values.reserve(cluster_begin.back());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        for (std::size_t row = cluster_begin[i]; row < cluster_begin[i + 1]; ++row) {
            const double v = value_(row);
            if (std::isnan(v)) continue;
            values.push_back(v);
            ++counts_[i];
        }
        widest = std::max<std::size_t>(widest, counts_[i]);
    }
    if (values.empty()) return;
    find_window(values, widest);
    values = {};
    split();
}

void BootstrapPercentile::attach(WeightedSums& sums) {
    count_column_ = sums.add(std::exchange(counts_, {}));
    above_column_ = sums.add(std::exchange(above_, {}));
}

void BootstrapPercentile::find_window(std::vector<double>& values, std::size_t widest_cluster) {
    const auto n = static_cast<double>(values.size());
    // Rows of one cluster come and go together, which at worst multiplies the variance.
    const double deviation = std::sqrt(n * p_ * (1 - p_) * static_cast<double>(widest_cluster)) + 2;
    const double centre = (n - 1) * p_;
    const auto rank = [&](double at) {
        return static_cast<std::ptrdiff_t>(std::clamp(at, 0.0, n - 1));
    };
    const auto lowest = values.begin() + rank(centre - kWindowDeviations * deviation);
    const auto highest = values.begin() + rank(centre + kWindowDeviations * deviation);
    std::nth_element(values.begin(), lowest, values.end());
    window_least_ = *lowest;
    std::nth_element(lowest, highest, values.end());
    window_most_ = *highest;
}

void BootstrapPercentile::split() {
    for (std::size_t i = 0; i < above_.size(); ++i) {
        for (std::size_t row = cluster_begin_[i]; row < cluster_begin_[i + 1]; ++row) {
            const double v = value_(row);
            if (v > window_most_) {
                ++above_[i];
            } else if (v >= window_least_) {
                window_.push_back({v, static_cast<std::uint32_t>(i)});
            }
        }
    }
    window_.shrink_to_fit();
    // Equal values by cluster, so that long runs of them are read in the order of memory.
    std::ranges::sort(window_, [](const Entry& a, const Entry& b) {
        return std::tie(b.value, a.cluster) < std::tie(a.value, b.cluster);
    });
}

template <class Count>
double BootstrapPercentile::evaluate(std::span<const Count> multiplicity,
                                     std::span<const std::uint64_t> sums) const {
    const std::uint64_t count = sums[count_column_];
    if (count == 0) return kNone;
    Descent descent(count, sums[above_column_], p_);
    if (!descent.valid()) return evaluate_all(multiplicity);
    for (const Entry& entry : window_) {
        if (descent.step(entry.value, multiplicity[entry.cluster])) return descent.result();
    }
    return evaluate_all(multiplicity);
}

template <class Count>
double BootstrapPercentile::evaluate_all(std::span<const Count> multiplicity) const {
    std::vector<Entry> drawn;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < multiplicity.size(); ++i) {
        if (multiplicity[i] == 0) continue;
        for (std::size_t row = cluster_begin_[i]; row < cluster_begin_[i + 1]; ++row) {
            const double v = value_(row);
            if (std::isnan(v)) continue;
            drawn.push_back({v, static_cast<std::uint32_t>(i)});
            count += multiplicity[i];
        }
    }
    std::ranges::sort(drawn, std::ranges::greater{}, &Entry::value);
    Descent descent(count, 0, p_);
    for (const Entry& entry : drawn) {
        if (descent.step(entry.value, multiplicity[entry.cluster])) break;
    }
    return descent.result();
}

template double BootstrapPercentile::evaluate(std::span<const std::uint8_t>,
                                              std::span<const std::uint64_t>) const;
template double BootstrapPercentile::evaluate(std::span<const std::uint32_t>,
                                              std::span<const std::uint64_t>) const;

}  // namespace evalfleet::statistics
