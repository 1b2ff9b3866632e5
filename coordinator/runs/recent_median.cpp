#include "coordinator/runs/recent_median.hpp"

#include <algorithm>

namespace evalfleet::runs {

void RecentMedian::add(double value) noexcept {
    values_[next_] = value;
    next_ = (next_ + 1) % kKept;
    count_ = std::min(count_ + 1, kKept);
}

double RecentMedian::value() const {
    if (count_ == 0) return 0;
    auto values = values_;
    auto* const middle = values.begin() + (count_ - 1) / 2;
    std::nth_element(values.begin(), middle, values.begin() + count_);
    return *middle;
}

}  // namespace evalfleet::runs
