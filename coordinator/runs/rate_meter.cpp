#include "coordinator/runs/rate_meter.hpp"

namespace evalfleet::runs {

void RateMeter::observe(async::TimePoint now, std::uint64_t count) {
    // Trials were opened again: what was before is no measure any more.
    if (!marks_.empty() && count < marks_.back().count) marks_.clear();
    // Ten marks a span are enough; a mark too many is replaced.
    const bool is_close = marks_.size() >= 2 && now - marks_[marks_.size() - 2].when < span_ / 10;
    if (is_close)
        marks_.back() = {now, count};
    else
        marks_.push_back({now, count});
    while (marks_.size() > 2 && now - marks_[1].when >= span_)
        marks_.pop_front();
}

std::optional<double> RateMeter::per_second() const {
    if (marks_.size() < 2) return std::nullopt;
    const std::chrono::duration<double> elapsed = marks_.back().when - marks_.front().when;
    if (elapsed.count() <= 0) return std::nullopt;
    return static_cast<double>(marks_.back().count - marks_.front().count) / elapsed.count();
}

}  // namespace evalfleet::runs
