#include "coordinator/runs/recent_refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::runs {

void RecentRefusals::observe(const std::vector<queue::LimitStats>& limits, async::TimePoint now) {
    std::erase_if(looks_, [&](const auto& known) {
        return std::ranges::find(limits, known.first, &queue::LimitStats::key) == limits.end();
    });
    for (const queue::LimitStats& limit : limits)
        enter(limit, now);
    has_looked_ = true;
}

void RecentRefusals::enter(const queue::LimitStats& limit, async::TimePoint now) {
    std::deque<Look>& looks = looks_[limit.key];
    // Of a key that was not there a moment ago everything is new; at a start nobody knows. A Redis
    // that lost its data counts anew.
    if (looks.empty() && has_looked_) looks.push_back({now, 0});
    if (!looks.empty() && limit.refused < looks.back().total) looks.assign(1, {now, 0});
    looks.push_back({now, limit.refused});
    // One look that is a minute old or more stays: the difference to it is the minute's.
    while (looks.size() > 2 && now - looks[1].at >= kSpan)
        looks.pop_front();
}

RecentRefusals::Figures RecentRefusals::of(const std::string& key) const {
    const auto found = looks_.find(key);
    if (found == looks_.end()) return {};
    const Look& first = found->second.front();
    const Look& last = found->second.back();
    const auto span = std::chrono::ceil<std::chrono::seconds>(last.at - first.at);
    return {last.total - first.total, std::max(span, std::chrono::seconds(1))};
}

std::string to_text(const RecentRefusals::Figures& figures) {
    // Looks come about every second, and take a while.
    const bool is_minute =
        figures.span >= std::chrono::seconds(59) && figures.span <= std::chrono::seconds(65);
    const std::string span = is_minute ? "minute" : fmt::format("{} s", figures.span.count());
    return fmt::format("{} call{} refused in the last {}", figures.calls,
                       figures.calls == 1 ? "" : "s", span);
}

}  // namespace evalfleet::runs
