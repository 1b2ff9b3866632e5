#include "worker/executor/executor.hpp"

#include "common/async/deadline.hpp"
#include "worker/call/model_caller.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kHandBackTime{5};
constexpr std::chrono::seconds kRedisTimeout{10};

asio::awaitable<Status> close(async::Gate& gate) {
    co_await gate.close();
    co_return Status();
}

/// Waits as long as a Redis that has lost its data may need, so that jobs of an unknown run do not
/// go round and round.
async::Duration pause_before_release() {
    return std::chrono::milliseconds(500 + static_cast<int>(random_fraction() * 1000));
}

}  // namespace

/// Passes on what a trial tells.
class Executor::Listener final : public TrialListener {
  public:
    Listener(Executor& executor, HeldJob& job) : executor_(executor), job_(job) {}

    void on_dispatch() override {
        if (!std::exchange(has_begun_, true)) executor_.parts_.begun.add(job_.ref());
    }

    void on_answer() override { job_.set_answered(); }

    void on_wait(Wait wait, bool begins) override {
        if (wait == Wait::backoff) lend_slot(begins);
        job_.set_waiting(begins);
        if (begins && executor_.draining_) job_.stop_if_waiting();
        if (begins && !run_goes_on_) job_.stop_if_set_back();
    }

    asio::awaitable<void> on_setback(job::Setback setback) override {
        job_.set_set_back();
        run_goes_on_ = co_await executor_.parts_.settler.note(job_.ref(), job::to_json(setback));
        if (!run_goes_on_) executor_.hand_back(job_.ref().run);
    }

  private:
    void lend_slot(bool begins) {
        executor_.parts_.metrics.backing_off.add(begins ? 1 : -1);
        if (begins) {
            has_lent_ = executor_.lent_++ < executor_.most_lent_;
            if (has_lent_) executor_.slots_.lend();
        } else {
            --executor_.lent_;
            if (std::exchange(has_lent_, false)) executor_.slots_.take_back();
        }
    }

    Executor& executor_;
    HeldJob& job_;
    bool has_begun_ = false;
    bool has_lent_ = false;
    bool run_goes_on_ = true;
};

Executor::Executor(const asio::any_io_executor& executor, std::size_t threads, std::size_t slots,
                   ExecutorParts parts)
    : executor_(executor),
      threads_(threads),
      parts_(std::move(parts)),
      slots_(slots),
      most_lent_(slots) {}

asio::awaitable<void> Executor::take_jobs() {
    for (;;) {
        std::vector<async::Semaphore::Permit> free;
        free.push_back(co_await slots_.acquire());
        while (free.size() < parts_.taker.max_batch()) {
            auto more = slots_.try_acquire();
            if (!more) break;
            free.push_back(std::move(*more));
        }
        std::vector<queue::TakenJob> jobs = co_await parts_.taker.take(free.size());
        const bool got_all = jobs.size() >= free.size();
        for (queue::TakenJob& job : jobs) {
            start(std::move(job), std::move(free.back()));
            free.pop_back();
        }
        free.clear();
        if (!got_all) co_await parts_.taker.wait_for_work();
    }
}

void Executor::start(queue::TakenJob taken, async::Semaphore::Permit slot) {
    auto inside = gate_.try_enter();
    // Where one thread does it all, a strand would only be one more queue to go through.
    asio::any_io_executor strand = executor_;
    if (threads_ > 1) strand = asio::make_strand(executor_);
    auto job = std::make_shared<HeldJob>(taken.ref, std::move(strand));
    parts_.held.add(job);
    auto begin = [this, job, taken = std::move(taken), slot = std::move(slot),
                  inside = std::move(inside)]() mutable {
        auto end = [this, job, slot = std::move(slot),
                    inside = std::move(inside)](const std::exception_ptr& failure) {
            parts_.held.remove(job);
            // Only cancellation while we told the end comes here; anything else is a bug.
            if (failure) parts_.logger.debug("job abandoned", {{"run", job->ref().run}});
        };
        asio::co_spawn(job->strand(), work(job, std::move(taken)),
                       asio::bind_cancellation_slot(
                           job->slot(), asio::bind_executor(job->strand(), std::move(end))));
    };
    // On the strand, where the job's cancellation signal lives.
    asio::post(job->strand(), std::move(begin));
}

asio::awaitable<void> Executor::work(std::shared_ptr<HeldJob> job, queue::TakenJob taken) {
    JobEnd end = co_await perform(*job, std::move(taken));
    if (abandoned_) co_return;
    // What stopped the work does not stop the telling of its end; `HeldJob::cancel` does.
    job->begin_settling();
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    co_await parts_.settler.settle(job->ref(), std::move(end));
}

asio::awaitable<JobEnd> Executor::perform(HeldJob& job, queue::TakenJob taken) {
    std::string bug;
    try {
        co_return co_await attempt(job, std::move(taken));
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) {
            if (draining_) ++stopped_;
            co_return JobEnd{};
        }
        bug = error.what();
    } catch (const std::exception& error) {
        bug = error.what();
    }
    co_return end_of_bug(std::move(bug));
}

asio::awaitable<JobEnd> Executor::attempt(HeldJob& job, queue::TakenJob taken) {
    auto run = co_await parts_.contexts.get(taken.ref.run, parts_.clock.now() + kRedisTimeout);
    while (!run && is_retryable(run.error().kind)) {
        co_await parts_.clock.wait_for(pause_before_release());
        run = co_await parts_.contexts.get(taken.ref.run, parts_.clock.now() + kRedisTimeout);
    }
    if (!run && run.error().kind == ErrorKind::not_found) {
        co_await parts_.clock.wait_for(pause_before_release());
        co_return JobEnd{};
    }
    if (!run) co_return end_of_bad_run(run.error());

    Listener listener(*this, job);
    auto trial = co_await parts_.trials.run(**run, std::move(taken), listener);
    if (!trial) co_return end_of_bad_payload(trial.error());
    co_return end_of_trial(*std::move(trial), job.is_lost());
}

asio::awaitable<std::size_t> Executor::drain(async::TimePoint deadline) {
    draining_ = true;
    for (const auto& job : parts_.held.all())
        job->stop_if_waiting();
    if (!co_await all_out(deadline)) {
        for (const auto& job : parts_.held.all())
            job->stop_work();
        if (!co_await all_out(parts_.clock.now() + kHandBackTime)) co_await abandon();
    }
    co_return stopped_;
}

asio::awaitable<void> Executor::abandon() {
    abandoned_ = true;
    for (const auto& job : parts_.held.all())
        job->cancel();
    co_await gate_.close();
}

void Executor::hand_back(const std::string& run) {
    for (const auto& job : parts_.held.all()) {
        if (job->ref().run == run) job->stop_if_set_back();
    }
}

asio::awaitable<bool> Executor::all_out(async::TimePoint deadline) {
    const Status out = co_await async::with_deadline(parts_.clock, deadline, close(gate_));
    co_return out.has_value();
}

}  // namespace evalfleet::worker
