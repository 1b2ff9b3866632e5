#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/reopening.hpp"
#include "coordinator/runs/run_keeper.hpp"

#include <algorithm>
#include <utility>

/// How a run is paused, by people or by itself, and goes on.
namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kOpenPatience{10};  // of who resumes a run that is being opened

}  // namespace

std::uint64_t RunKeeper::streak_limit() const {
    return std::min(deps_.pause_after_failures, open_->book.ledger.total());
}

asio::awaitable<Status> RunKeeper::pause() {
    if (is_held()) co_return Status();  // and why it is stays known
    co_return co_await change(RunPhase::paused, queue::RunState::paused, "");
}

// A run that cannot be measured waits for somebody to mend that, even if its last trial is in.
asio::awaitable<void> RunKeeper::hold(std::string reason) {
    logger_.error("paused a run that cannot be measured", {{"reason", reason}});
    const Status paused =
        co_await change(RunPhase::paused, queue::RunState::paused, std::move(reason));
    if (!paused) co_await deps_.clock.wait_for(std::chrono::seconds(1));
}

asio::awaitable<Status> RunKeeper::resume() {
    const bool had_failed = phase_ == RunPhase::failed;
    if (is_fenced_) co_return co_await take_back();
    // From there it goes back only by itself.
    if (phase_ == RunPhase::finishing)
        co_return Error{ErrorKind::denied, "a run that is finishing cannot be resumed"};
    if (!had_failed) {
        if (const Status ready = co_await prepare_again(); !ready) co_return ready;
        co_return co_await change(RunPhase::running, queue::RunState::running, "");
    }
    const Status gone = co_await set_phase(RunPhase::running);
    if (!gone) co_return gone;
    ended_.reset();
    resumed_.notify_all();
    co_return Status();
}

// Before the run goes on: a crash in between leaves it paused, with those trials open.
asio::awaitable<Status> RunKeeper::prepare_again() {
    const async::TimePoint deadline = deps_.clock.now() + kOpenPatience;
    while (is_held() && !open_) {
        if (deps_.clock.now() >= deadline)
            co_return Error{ErrorKind::transient, "the run is being opened; try again"};
        co_await deps_.clock.wait_for(std::chrono::milliseconds(50));
    }
    const std::shared_ptr<OpenRun> open = open_;
    if (!open) co_return Status();
    std::uint64_t limit = streak_limit();
    if (is_held()) {
        const auto reopened = co_await reopen_unmeasured(*open, deps_.durable, deps_.heavy);
        if (!reopened) co_return reopened.error();
        logger_.info("trials are tried again", {{"trials", *reopened}});
        if (*reopened > 0) limit = std::min(limit, *reopened);
    }
    open->book.streak.reset(limit);
    co_return Status();
}

}  // namespace evalfleet::runs
