#include "worker/executor/job_taker.hpp"

#include "worker/call/model_caller.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kChoosyWait{500};

}  // namespace

JobTaker::JobTaker(async::Clock& clock, queue::WorkerQueue& queue, redis::Client& client,
                   redis::Client& blocking, const ProviderHealth& health, Config config,
                   WorkerMetrics& metrics, log::Logger logger)
    : clock_(clock),
      queue_(queue),
      client_(client),
      blocking_(blocking),
      health_(health),
      config_(config),
      metrics_(metrics),
      logger_(std::move(logger)),
      last_answer_(clock.now().time_since_epoch().count()) {}

asio::awaitable<std::vector<queue::TakenJob>> JobTaker::take(std::size_t count) {
    ProviderHealth::Choice choice = health_.choose(clock_.now());
    is_choosy_ = choice.next.has_value() || choice.is_trial;
    if (choice.providers.empty()) co_return std::vector<queue::TakenJob>();
    auto taken = co_await ask(choice.is_trial ? 1 : count, std::move(choice.providers));
    if (!taken) {
        if (!failing_) logger_.warn("cannot take jobs; trying again", {{"error", taken.error()}});
        failing_ = true;
        co_return std::vector<queue::TakenJob>();
    }
    if (failing_) logger_.info("taking jobs again");
    failing_ = false;
    quiet_for_ = taken->quiet_for;
    is_choosy_ = is_choosy_ || taken->passed_over;
    last_answer_.store(clock_.now().time_since_epoch().count());
    metrics_.jobs_taken.increment(static_cast<double>(taken->jobs.size()));
    co_return std::move(taken->jobs);
}

asio::awaitable<Result<queue::Taken>> JobTaker::ask(std::size_t count,
                                                    std::vector<std::string> providers) {
    const Status connected = co_await client_.ready(clock_.now() + config_.timeout);
    if (!connected) co_return connected.error();
    const auto executor = co_await asio::this_coro::executor;
    // Shielded from cancellation: a reply that is dropped is a job that waits for its lease to end.
    co_return co_await asio::co_spawn(
        executor,
        queue_.take(count, config_.lease, std::move(providers), clock_.now() + config_.timeout),
        asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

/// Spread by half around the configured time, so that idle workers do not ask all at once.
milliseconds JobTaker::idle_time() const {
    const auto middle = static_cast<double>(config_.idle_wait.count());
    const milliseconds spread(static_cast<std::int64_t>(middle * (0.5 + random_fraction())));
    if (!quiet_for_) return spread;
    return std::max(milliseconds(10), std::min(spread, *quiet_for_));
}

asio::awaitable<void> JobTaker::wait_for_work() {
    const milliseconds time = idle_time();
    if (failing_) {
        co_await clock_.wait_for(time / 2);
        co_return;
    }
    if (is_choosy_) {  // a token of the wake list would be somebody else's
        co_await clock_.wait_for(std::min(time, kChoosyWait));
        co_return;
    }
    const std::string seconds = fmt::format("{:.3f}", static_cast<double>(time.count()) / 1e3);
    redis::Command command("BLPOP", queue_.keys().wake(), seconds);
    const auto token =
        co_await blocking_.execute(std::move(command), clock_.now() + time + config_.timeout);
    // Without the wake list there is still the poll.
    if (!token) co_await clock_.wait_for(time / 2);
}

async::TimePoint JobTaker::last_answer() const noexcept {
    return async::TimePoint(async::TimePoint::duration(last_answer_.load()));
}

}  // namespace evalfleet::worker
