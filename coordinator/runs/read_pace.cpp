#include "coordinator/runs/read_pace.hpp"

#include <algorithm>

namespace evalfleet::runs {

namespace {

constexpr std::size_t kFirst = 16;

}  // namespace

ReadPace::ReadPace(Limits limits)
    : limits_(limits), count_(std::clamp(kFirst, std::size_t{1}, limits.max_results)) {}

void ReadPace::observe(std::size_t results, std::size_t bytes) noexcept {
    if (results == 0) return;
    const std::size_t each = std::max<std::size_t>(1, bytes / results);
    const std::size_t fits = std::max<std::size_t>(1, limits_.max_bytes / each);
    count_ = std::min({fits, count_ * 2, limits_.max_results});
}

bool ReadPace::halve() noexcept {
    const bool was_single = count_ == 1;
    count_ = std::max<std::size_t>(1, count_ / 2);
    return !was_single;
}

}  // namespace evalfleet::runs
