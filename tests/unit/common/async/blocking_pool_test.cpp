#include "common/async/blocking_pool.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <pthread.h>

#include <latch>
#include <stdexcept>
#include <thread>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

std::string name_of_this_thread() {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

TEST(BlockingPool, RunsWorkOnItsOwnNamedThread) {
    BlockingPool pool({.threads = 1, .max_queued = 4, .name = "files"});
    EXPECT_EQ(testing::run(pool.run(name_of_this_thread)), "files");
}

asio::awaitable<bool> returns_to_the_same_thread(BlockingPool& pool) {
    const auto before = std::this_thread::get_id();
    const auto inside = co_await pool.run([] { return std::this_thread::get_id(); });
    co_return before == std::this_thread::get_id() && before != inside;
}

TEST(BlockingPool, ComesBackToTheCallersExecutor) {
    BlockingPool pool({});
    EXPECT_TRUE(testing::run(returns_to_the_same_thread(pool)));
}

TEST(BlockingPool, RethrowsWhatTheWorkThrew) {
    BlockingPool pool({});
    EXPECT_THROW(testing::run(pool.run([]() -> int { throw std::runtime_error("disk full"); })),
                 std::runtime_error);
}

TEST(BlockingPool, DoesNotRunWorkWhoseWaitForAPlaceWasCancelled) {
    BlockingPool pool({.threads = 1, .max_queued = 1, .name = "narrow"});
    asio::io_context context(1);
    std::latch release(1);
    asio::co_spawn(context, pool.run([&release] { release.wait(); }), [](std::exception_ptr) {});
    asio::cancellation_signal signal;
    bool ran = false;
    std::exception_ptr failure;
    asio::co_spawn(context, pool.run([&ran] { ran = true; }),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown) {
                       failure = std::move(thrown);
                       release.count_down();
                   }));
    asio::post(context, [&] { signal.emit(asio::cancellation_type::terminal); });
    context.run();
    EXPECT_TRUE(failure);
    EXPECT_FALSE(ran);
}

TEST(BlockingPool, WaitsForRunningWorkInSpiteOfCancellation) {
    BlockingPool pool({.threads = 1, .max_queued = 1, .name = "slow"});
    asio::io_context context(1);
    asio::cancellation_signal signal;
    std::latch started(1);
    std::latch cancelled(1);
    bool finished = false;
    bool finished_when_reported = false;
    asio::co_spawn(context, pool.run([&] {
        started.count_down();
        cancelled.wait();
        finished = true;
    }),
                   asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr&) {
                       finished_when_reported = finished;
                   }));
    context.poll();
    started.wait();
    signal.emit(asio::cancellation_type::terminal);
    cancelled.count_down();
    context.run();
    EXPECT_TRUE(finished_when_reported);
}

}  // namespace
}  // namespace evalfleet::async
