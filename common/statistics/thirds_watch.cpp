#include "common/statistics/thirds_watch.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {

void ThirdsWatch::Part::merge(const Part& other) noexcept {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
}

void ThirdsWatch::add(double value) {
    if (count_ % width_ == 0) {
        if (parts_.size() == kMostParts) {
            for (std::size_t i = 0; i < kMostParts / 2; ++i) {
                parts_[i] = parts_[2 * i];
                parts_[i].merge(parts_[2 * i + 1]);
            }
            parts_.resize(kMostParts / 2);
            width_ *= 2;
        }
        parts_.emplace_back();
    }
    ++count_;
    parts_.back().merge({1, value, value * value});
}

std::optional<ThirdsWatch::Means> ThirdsWatch::find_difference(double deviations) const {
    if (count_ < kFewest) return std::nullopt;
    const std::size_t third = parts_.size() / 3;
    Part first;
    Part last;
    for (std::size_t i = 0; i < third; ++i) {
        first.merge(parts_[i]);
        last.merge(parts_[parts_.size() - 1 - i]);
    }
    const Means means{first.sum / first.count, last.sum / last.count};
    const auto spread = [](const Part& part) {
        return std::max(0.0, part.squares - part.sum * part.sum / part.count);
    };
    const double variance = (spread(first) + spread(last)) / (first.count + last.count - 2);
    const double error = std::sqrt(variance * (1 / first.count + 1 / last.count));
    // A difference without any spread beside it is one, unless it is rounding.
    const double apart = std::abs(means.first - means.last);
    if (apart <= deviations * error || apart < 1e-9) return std::nullopt;
    return means;
}

}  // namespace evalfleet::statistics
