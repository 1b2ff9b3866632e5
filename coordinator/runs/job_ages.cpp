#include "coordinator/runs/job_ages.hpp"

namespace evalfleet::runs {

void JobAges::issue(std::uint64_t index, async::TimePoint now) {
    const auto [place, is_new] = by_index_.try_emplace(index);
    if (is_new) place->second = entries_.insert(entries_.end(), {index, now});
}

void JobAges::settle(std::uint64_t index) {
    const auto found = by_index_.find(index);
    if (found == by_index_.end()) return;
    entries_.erase(found->second);
    by_index_.erase(found);
}

std::optional<async::TimePoint> JobAges::oldest() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.front().since;
}

}  // namespace evalfleet::runs
