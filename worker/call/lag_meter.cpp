#include "worker/call/lag_meter.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

constexpr std::chrono::milliseconds kPeriod{5};

}  // namespace

void LagEstimator::note(async::TimePoint due, async::TimePoint ran) {
    const async::Duration late = std::max(ran - due, async::Duration(0));
    const std::lock_guard lock(mutex_);
    // One that was very late says something about every slice that it slept through.
    const std::int64_t last = number_of(ran);
    const std::int64_t first =
        std::max(number_of(due), last - static_cast<std::int64_t>(kSlices) + 1);
    for (std::int64_t number = first; number <= last; ++number) {
        Slice& slice = slices_[static_cast<std::size_t>(number) % kSlices];
        if (slice.number != number) slice = {number, async::Duration(0)};
        slice.worst = std::max(slice.worst, late);
    }
}

async::Duration LagEstimator::worst_around(async::TimePoint moment) const {
    const std::int64_t middle = number_of(moment);
    const std::lock_guard lock(mutex_);
    async::Duration worst{};
    for (std::int64_t number = std::max<std::int64_t>(middle - 1, 0); number <= middle + 1;
         ++number) {
        const Slice& slice = slices_[static_cast<std::size_t>(number) % kSlices];
        if (slice.number == number) worst = std::max(worst, slice.worst);
    }
    return worst;
}

boost::asio::awaitable<void> LagMeter::run() {
    for (;;) {
        const async::TimePoint due = clock_.now() + kPeriod;
        co_await clock_.wait_until(due);
        estimator_.note(due, clock_.now());
    }
}

}  // namespace evalfleet::worker
