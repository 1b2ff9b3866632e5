#include "worker/executor/settler.hpp"

#include "worker/call/model_caller.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTimeout{10'000};
constexpr milliseconds kFirstWait{100};
constexpr milliseconds kLongestWait{2'000};

/// A Redis that is full or refuses us may be mended while we hold the record.
bool may_pass(ErrorKind kind) {
    return is_retryable(kind) || kind == ErrorKind::too_large || kind == ErrorKind::denied;
}

}  // namespace

Settler::Settler(async::Clock& clock, queue::WorkerQueue& queue, ResultSender& results,
                 redaction::Redactor redactor, WorkerMetrics& metrics, log::Logger logger)
    : clock_(clock),
      queue_(queue),
      results_(results),
      redactor_(std::move(redactor)),
      metrics_(metrics),
      logger_(std::move(logger)) {}

asio::awaitable<void> Settler::settle(queue::JobRef job, JobEnd end) {
    // The reason may quote the data set.
    if (end.kind == JobEnd::Kind::fail) end.text = redactor_.redact(end.text).text;
    milliseconds wait = kFirstWait;
    for (;;) {
        const Status told = co_await tell(job, end);
        if (told) co_return;
        if (!may_pass(told.error().kind)) {
            logger_.error("Redis refused the end of a job; its lease will run out",
                          {{"run", job.run}, {"index", job.index}, {"error", told.error()}});
            co_return;
        }
        logger_.debug("cannot tell the end of a job yet", {{"error", told.error()}});
        co_await clock_.wait_for(
            std::chrono::duration_cast<async::Duration>(wait * (0.5 + random_fraction() / 2)));
        wait = std::min(wait * 2, kLongestWait);
    }
}

asio::awaitable<Status> Settler::tell(const queue::JobRef& job, const JobEnd& end) {
    switch (end.kind) {
        case JobEnd::Kind::deliver:
            co_return co_await deliver(job, end);
        case JobEnd::Kind::fail:
            co_return co_await fail(job, end);
        case JobEnd::Kind::put_back:
            co_return co_await put_back(job, end);
        case JobEnd::Kind::release:
            co_return co_await release(job);
        case JobEnd::Kind::forget:
            break;
    }
    co_return Status();
}

asio::awaitable<Status> Settler::deliver(const queue::JobRef& job, const JobEnd& end) {
    queue::JobResult result{job, end.text, end.spent};
    const auto delivery = co_await results_.send(std::move(result));
    if (!delivery) co_return delivery.error();
    metrics_.deliveries[static_cast<std::size_t>(*delivery)].increment();
    co_return Status();
}

asio::awaitable<Status> Settler::fail(const queue::JobRef& job, const JobEnd& end) {
    const auto failure = co_await queue_.fail(job, end.delay, end.max_tries, end.text, deadline());
    if (!failure) co_return failure.error();
    metrics_.jobs_failed.increment();
    logger_.warn("job failed", {{"run", job.run}, {"index", job.index}, {"reason", end.text}});
    co_return Status();
}

asio::awaitable<Status> Settler::put_back(const queue::JobRef& job, const JobEnd& end) {
    const auto told = co_await queue_.setback(job, end.setback, deadline());
    if (!told) co_return told.error();
    metrics_.jobs_put_back.increment();
    logger_.debug("job put back",
                  {{"run", job.run}, {"index", job.index}, {"reason", end.setback.note}});
    co_return Status();
}

asio::awaitable<bool> Settler::note(queue::JobRef job, std::string text) {
    queue::JobSetback setback;
    setback.note = std::move(text);
    const auto told = co_await queue_.setback(std::move(job), std::move(setback), deadline());
    if (!told) logger_.debug("cannot tell what a job waits for", {{"error", told.error()}});
    co_return !told || *told != queue::Failure::paused;
}

asio::awaitable<Status> Settler::release(const queue::JobRef& job) {
    std::vector<queue::JobRef> jobs{job};
    const auto released = co_await queue_.release(std::move(jobs), deadline());
    if (!released) co_return released.error();
    metrics_.jobs_released.increment(static_cast<double>(*released));
    co_return Status();
}

async::TimePoint Settler::deadline() const {
    return clock_.now() + kTimeout;
}

}  // namespace evalfleet::worker
