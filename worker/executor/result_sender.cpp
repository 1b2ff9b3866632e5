#include "worker/executor/result_sender.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMostResults = 128;
constexpr std::size_t kMostBytes = std::size_t{256} * 1024;  // a larger result goes alone
constexpr std::size_t kBusy = 3;  // results in a call, from which on it is worth waiting for more
constexpr std::chrono::milliseconds kGather{3};
constexpr std::chrono::seconds kTimeout{10};

}  // namespace

struct ResultSender::Claim {
    Claim(queue::JobResult result_in, const asio::any_io_executor& executor)
        : result(std::move(result_in)), waiter(std::make_shared<async::Waiter>(executor)) {}

    const queue::JobResult result;
    const std::shared_ptr<async::Waiter> waiter;
    std::optional<Result<queue::Delivery>> outcome;  // written before the waiter is woken
};

ResultSender::ResultSender(async::Clock& clock, queue::WorkerQueue& queue)
    : clock_(clock), queue_(queue) {}

ResultSender::~ResultSender() = default;

asio::awaitable<Result<queue::Delivery>> ResultSender::send(queue::JobResult result) {
    const auto claim =
        std::make_shared<Claim>(std::move(result), co_await asio::this_coro::executor);
    add(claim);
    co_await claim->waiter->wait();
    const std::lock_guard lock(mutex_);
    if (claim->outcome) co_return *std::move(claim->outcome);
    std::erase(waiting_, claim);
    throw boost::system::system_error(asio::error::operation_aborted);
}

void ResultSender::add(std::shared_ptr<Claim> claim) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(claim));
    if (!sleeper_) return;
    sleeper_->wake();
    sleeper_.reset();
}

std::size_t ResultSender::count_waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

asio::awaitable<void> ResultSender::await_first() {
    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<async::Waiter>(executor);
    {
        const std::lock_guard lock(mutex_);
        if (!waiting_.empty()) co_return;
        sleeper_ = waiter;
    }
    co_await waiter->wait();
}

ResultSender::Batch ResultSender::take_batch() {
    const std::lock_guard lock(mutex_);
    Batch batch;
    std::size_t bytes = 0;
    while (!waiting_.empty() && batch.size() < kMostResults) {
        bytes += waiting_.front()->result.record.size();
        if (!batch.empty() && bytes > kMostBytes) break;
        batch.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    return batch;
}

asio::awaitable<void> ResultSender::run() {
    bool is_busy = false;
    for (;;) {
        co_await await_first();
        if (is_busy && count_waiting() < kMostResults) co_await clock_.wait_for(kGather);
        const Batch batch = take_batch();
        is_busy = batch.size() >= kBusy;
        if (batch.empty()) continue;
        const Status told = co_await hand_over(batch);
        if (!told) co_await hand_over_singly(batch);
    }
}

asio::awaitable<Status> ResultSender::hand_over(const Batch& batch) {
    std::vector<queue::JobResult> results;
    results.reserve(batch.size());
    for (const auto& claim : batch)
        results.push_back(claim->result);
    auto told = co_await queue_.done(std::move(results), clock_.now() + kTimeout);
    if (!told && !is_retryable(told.error().kind) && batch.size() > 1) co_return told.error();
    for (std::size_t n = 0; n < batch.size(); ++n) {
        const std::lock_guard lock(mutex_);
        if (told) {
            batch[n]->outcome.emplace((*told)[n]);
        } else {
            batch[n]->outcome.emplace(told.error());
        }
        batch[n]->waiter->wake();
    }
    co_return Status();
}

asio::awaitable<void> ResultSender::hand_over_singly(const Batch& batch) {
    for (const auto& claim : batch) {
        const Batch single{claim};
        static_cast<void>(co_await hand_over(single));
    }
}

}  // namespace evalfleet::worker
