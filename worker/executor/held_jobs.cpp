#include "worker/executor/held_jobs.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

HeldJob::HeldJob(queue::JobRef ref, asio::any_io_executor strand)
    : ref_(std::move(ref)), strand_(std::move(strand)) {}

void HeldJob::stop_work() {
    asio::post(strand_, [self = shared_from_this()] {
        if (!self->settling_) self->signal_.emit(asio::cancellation_type::terminal);
    });
}

void HeldJob::stop_if_waiting() {
    asio::post(strand_, [self = shared_from_this()] {
        const bool may_go = self->waiting_ && !self->answered_ && !self->settling_;
        if (may_go) self->signal_.emit(asio::cancellation_type::terminal);
    });
}

void HeldJob::stop_if_set_back() {
    asio::post(strand_, [self = shared_from_this()] {
        const bool may_go = self->waiting_ && self->set_back_ && !self->settling_;
        if (may_go) self->signal_.emit(asio::cancellation_type::terminal);
    });
}

void HeldJob::cancel() {
    asio::post(strand_, [self = shared_from_this()] {
        self->signal_.emit(asio::cancellation_type::terminal);
    });
}

bool HeldJob::stop_for_run() {
    if (stopped_for_run_.exchange(true)) return false;
    stop_work();
    return true;
}

void HeldJobs::add(std::shared_ptr<HeldJob> job) {
    const std::lock_guard lock(mutex_);
    jobs_.insert(std::move(job));
}

void HeldJobs::remove(const std::shared_ptr<HeldJob>& job) {
    const std::lock_guard lock(mutex_);
    jobs_.erase(job);
}

HeldJobs::Jobs HeldJobs::all() const {
    const std::lock_guard lock(mutex_);
    return {jobs_.begin(), jobs_.end()};
}

std::size_t HeldJobs::size() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
}

}  // namespace evalfleet::worker
