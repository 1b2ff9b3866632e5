#include "cli/simulator/slot_queue.hpp"

#include <algorithm>

namespace evalfleet::simulator {

async::TimePoint SlotQueue::enter(async::TimePoint arrival, async::Duration service) {
    if (slots_ == 0) return arrival;
    const std::lock_guard lock(mutex_);
    async::TimePoint begin = arrival;
    if (ends_.size() >= slots_) {
        begin = std::max(arrival, ends_.top());
        ends_.pop();
    }
    ends_.push(begin + service);
    return begin;
}

}  // namespace evalfleet::simulator
