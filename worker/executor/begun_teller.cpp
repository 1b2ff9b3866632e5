#include "worker/executor/begun_teller.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatch = 128;
constexpr std::size_t kMostWaiting = 4096;  // while Redis is away
constexpr std::chrono::milliseconds kGather{20};
constexpr std::chrono::milliseconds kLook{500};
constexpr std::chrono::seconds kTimeout{2};

}  // namespace

BegunTeller::BegunTeller(async::Clock& clock, queue::WorkerQueue& queue, log::Logger logger)
    : clock_(clock), queue_(queue), logger_(std::move(logger)) {}

void BegunTeller::add(queue::JobRef job) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        if (jobs_.size() >= kMostWaiting) return;
        is_first = jobs_.empty();
        jobs_.push_back(std::move(job));
    }
    if (is_first) added_.notify_all();
}

std::vector<queue::JobRef> BegunTeller::take() {
    const std::lock_guard lock(mutex_);
    const auto end = jobs_.begin() + static_cast<std::ptrdiff_t>(std::min(jobs_.size(), kBatch));
    std::vector<queue::JobRef> some(std::make_move_iterator(jobs_.begin()),
                                    std::make_move_iterator(end));
    jobs_.erase(jobs_.begin(), end);
    return some;
}

asio::awaitable<void> BegunTeller::run() {
    for (;;) {
        std::vector<queue::JobRef> jobs = take();
        if (jobs.empty()) {
            co_await added_.wait(clock_, clock_.now() + kLook);
            co_await clock_.wait_for(kGather);
            continue;
        }
        const auto told = co_await queue_.begun(std::move(jobs), clock_.now() + kTimeout);
        if (!told) logger_.debug("cannot tell which jobs began", {{"error", told.error()}});
    }
}

}  // namespace evalfleet::worker
