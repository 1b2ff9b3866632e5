#include "common/async/semaphore.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

TEST(Semaphore, GivesOutNoMoreThanItHas) {
    asio::io_context context(1);
    Semaphore semaphore(2);
    auto first = semaphore.try_acquire();
    auto second = semaphore.try_acquire();
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(semaphore.try_acquire());
    first.reset();
    EXPECT_TRUE(semaphore.try_acquire());
}

TEST(Semaphore, AMovedPermitIsGivenBackOnce) {
    asio::io_context context(1);
    Semaphore semaphore(1);
    {
        auto first = semaphore.try_acquire();
        Semaphore::Permit moved = std::move(*first);
        first.reset();
        EXPECT_FALSE(semaphore.try_acquire());
    }
    auto again = semaphore.try_acquire();
    EXPECT_TRUE(again);
    EXPECT_FALSE(semaphore.try_acquire());
}

TEST(Semaphore, ServesThoseWhoWaitInOrder) {
    asio::io_context context(1);
    Semaphore semaphore(1);
    auto held = semaphore.try_acquire();
    std::vector<int> served;
    for (int i = 0; i < 3; ++i) {
        asio::co_spawn(context, semaphore.acquire(),
                       [&served, i](const std::exception_ptr&, const Semaphore::Permit&) {
                           served.push_back(i);
                       });
    }
    context.poll();
    EXPECT_TRUE(served.empty());
    held.reset();
    context.poll();
    EXPECT_EQ(served, (std::vector{0, 1, 2}));
}

TEST(Semaphore, CancelledWaitLosesNoPermit) {
    asio::io_context context(1);
    Semaphore semaphore(1);
    auto held = semaphore.try_acquire();
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(context, semaphore.acquire(),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr thrown, const Semaphore::Permit&) {
                           failure = std::move(thrown);
                       }));
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    context.poll();
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    held.reset();
    EXPECT_TRUE(semaphore.try_acquire());
}

TEST(Semaphore, LendsThePermitOfOneWhoDoesNotNeedItForAWhile) {
    Semaphore semaphore(1);
    auto held = semaphore.try_acquire();
    semaphore.lend();
    auto borrowed = semaphore.try_acquire();
    ASSERT_TRUE(borrowed);
    EXPECT_FALSE(semaphore.try_acquire()) << "one was lent";
    semaphore.take_back();
    borrowed.reset();
    EXPECT_FALSE(semaphore.try_acquire()) << "it is taken back";
    held.reset();
    auto again = semaphore.try_acquire();
    EXPECT_TRUE(again);
    EXPECT_FALSE(semaphore.try_acquire()) << "there is still one only";
}

TEST(Semaphore, TakesBackAtOnceWhatNobodyBorrowed) {
    Semaphore semaphore(1);
    auto held = semaphore.try_acquire();
    semaphore.lend();
    semaphore.take_back();
    EXPECT_FALSE(semaphore.try_acquire());
    held.reset();
    EXPECT_TRUE(semaphore.try_acquire());
}

TEST(Semaphore, WhatIsLentGoesToWhoeverWaits) {
    asio::io_context context(1);
    Semaphore semaphore(1);
    const auto held = semaphore.try_acquire();
    bool served = false;
    asio::co_spawn(context, semaphore.acquire(),
                   [&](const std::exception_ptr&, const Semaphore::Permit&) { served = true; });
    context.poll();
    EXPECT_FALSE(served);
    semaphore.lend();
    context.restart();
    context.poll();
    EXPECT_TRUE(served);
}

asio::awaitable<void> work_inside(Semaphore& semaphore, std::atomic<int>& inside,
                                  std::atomic<int>& most) {
    for (int i = 0; i < 50; ++i) {
        const auto permit = co_await semaphore.acquire();
        const int now = ++inside;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        co_await asio::post(asio::use_awaitable);
        --inside;
    }
}

TEST(SemaphoreOnThreads, NeverLetsMoreInThanPermits) {
    asio::thread_pool pool(4);
    Semaphore semaphore(3);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::vector<std::future<void>> workers;
    for (int i = 0; i < 10; ++i)
        workers.push_back(asio::co_spawn(asio::make_strand(pool),
                                         work_inside(semaphore, inside, most), asio::use_future));
    for (auto& worker : workers)
        worker.get();
    EXPECT_LE(most, 3);
    EXPECT_GE(most, 1);
}

}  // namespace
}  // namespace evalfleet::async
