#include "common/async/heavy_pool.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <latch>
#include <stdexcept>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

HeavyPool::Job large(std::string owner) {
    return {std::move(owner), HeavyPool::kLargeBytes};
}

TEST(HeavyPool, GivesWayToOtherThreads) {
    HeavyPool pool({.threads = 1, .large_at_once = 1});
    const auto niceness = [] { return ::getpriority(PRIO_PROCESS, 0); };
    const int ours = niceness();
    EXPECT_GE(testing::run(pool.run({"a"}, niceness)), std::min(ours + 1, 19));
    EXPECT_EQ(niceness(), ours) << "which stay as they are";
}

TEST(HeavyPool, RethrowsWhatTheWorkThrew) {
    HeavyPool pool({});
    EXPECT_THROW(
        testing::run(pool.run({"a"}, []() -> int { throw std::runtime_error("disk full"); })),
        std::runtime_error);
}

TEST(HeavyPool, DoesSmallWorkWhileAllLargeWorkStandsStill) {
    HeavyPool pool({.threads = 3, .large_at_once = 2});
    asio::io_context context(1);
    std::latch released(1);
    int large_done = 0;
    for (const char* owner : {"a", "b", "c", "d"}) {
        asio::co_spawn(context, pool.run(large(owner), [&released] { released.wait(); }),
                       [&](const std::exception_ptr&) { ++large_done; });
    }
    // Its end is what lets the others go on: it would hang here if they held it up.
    asio::co_spawn(context, pool.run({"e"}, [] {}), [&](const std::exception_ptr&) {
        EXPECT_EQ(large_done, 0);
        released.count_down();
    });
    context.run();
    EXPECT_EQ(large_done, 4);
}

TEST(HeavyPool, AsksWorkToStopWhoseCallerIsCancelled) {
    HeavyPool pool({.threads = 1, .large_at_once = 1});
    asio::io_context context(1);
    asio::cancellation_signal signal;
    std::latch begun(1);
    std::exception_ptr failure;
    // Ends by being stopped only.
    auto work = [&begun](const std::stop_token& stop) {
        begun.count_down();
        for (;;)
            throw_if_stopped(stop);
    };
    asio::co_spawn(context, pool.run({"a"}, work),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown) {
                       failure = std::move(thrown);
                   }));
    context.poll();
    begun.wait();
    signal.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_EQ(testing::run(pool.run({"b"}, [] { return 7; })), 7) << "its place is free again";
}

TEST(HeavyPool, DoesNotBeginWorkWhoseCallerWasCancelled) {
    HeavyPool pool({.threads = 1, .large_at_once = 1});
    asio::io_context context(1);
    std::latch release(1);
    asio::cancellation_signal signal;
    bool ran = false;
    std::exception_ptr failure;
    asio::co_spawn(context, pool.run({"a"}, [&release] { release.wait(); }),
                   [](std::exception_ptr) {});
    asio::co_spawn(context, pool.run({"b"}, [&ran] { ran = true; }),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown) {
                       failure = std::move(thrown);
                       release.count_down();
                   }));
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
    EXPECT_TRUE(failure);
    EXPECT_FALSE(ran);
}

TEST(HeavyPool, LetsWorkEndThatDoesNotLookWhetherItIsToStop) {
    HeavyPool pool({.threads = 1, .large_at_once = 1});
    asio::io_context context(1);
    asio::cancellation_signal signal;
    std::latch begun(1);
    std::latch cancelled(1);
    int value = 0;
    std::exception_ptr failure;
    auto work = [&] {
        begun.count_down();
        cancelled.wait();
        return 3;
    };
    asio::co_spawn(
        context, pool.run({"a"}, work),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown, int result) {
            failure = std::move(thrown);
            value = result;
        }));
    context.poll();
    begun.wait();
    signal.emit(asio::cancellation_type::terminal);
    cancelled.count_down();
    context.restart();
    context.run();
    EXPECT_FALSE(failure);
    EXPECT_EQ(value, 3);
}

}  // namespace
}  // namespace evalfleet::async
