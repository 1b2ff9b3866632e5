#include "common/async/gate.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

class GateTest : public ::testing::Test {
  protected:
    void start_close(int& completed) {
        asio::co_spawn(context, gate.close(),
                       asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown) {
                           failure = std::move(thrown);
                           ++completed;
                       }));
        context.restart();
        context.poll();
    }

    void poll() {
        context.restart();
        context.poll();
    }

    asio::io_context context{1};
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    Gate gate;
};

TEST_F(GateTest, ClosesAtOnceWhenNobodyIsInside) {
    int completed = 0;
    start_close(completed);
    EXPECT_EQ(completed, 1);
    EXPECT_FALSE(failure);
}

TEST_F(GateTest, LetsNobodyInOnceClosed) {
    gate.stop_intake();
    EXPECT_FALSE(gate.try_enter());
    EXPECT_TRUE(gate.is_closed());
}

TEST_F(GateTest, WaitsForTheLastOneInside) {
    auto first = gate.try_enter();
    auto second = gate.try_enter();
    int completed = 0;
    start_close(completed);
    first.reset();
    poll();
    EXPECT_EQ(completed, 0);
    EXPECT_EQ(gate.count_inside(), 1U);
    second.reset();
    poll();
    EXPECT_EQ(completed, 1);
}

TEST_F(GateTest, AMovedHolderLeavesOnce) {
    auto first = gate.try_enter();
    Gate::Holder moved = std::move(*first);
    first.reset();
    EXPECT_EQ(gate.count_inside(), 1U);
    { const Gate::Holder inner = std::move(moved); }
    EXPECT_EQ(gate.count_inside(), 0U);
}

TEST_F(GateTest, WakesEveryOneWhoAwaitsTheClosing) {
    auto inside = gate.try_enter();
    int completed = 0;
    for (int i = 0; i < 3; ++i)
        asio::co_spawn(context, gate.close(), [&](const std::exception_ptr&) { ++completed; });
    poll();
    EXPECT_EQ(completed, 0);
    inside.reset();
    poll();
    EXPECT_EQ(completed, 3);
}

TEST_F(GateTest, CancelledWaitLeavesTheGateClosed) {
    auto inside = gate.try_enter();
    int completed = 0;
    start_close(completed);
    signal.emit(asio::cancellation_type::terminal);
    poll();
    EXPECT_EQ(completed, 1);
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_FALSE(gate.try_enter());
}

TEST(GateOnThreads, EverybodyWhoGotInIsOutWhenClosed) {
    asio::thread_pool pool(2);
    Gate gate;
    std::atomic<int> working = 0;
    std::vector<std::thread> visitors;
    for (int t = 0; t < 4; ++t) {
        visitors.emplace_back([&] {
            while (auto inside = gate.try_enter()) {
                ++working;
                --working;
            }
        });
    }
    asio::co_spawn(pool, gate.close(), asio::use_future).get();
    EXPECT_EQ(working, 0);
    for (auto& visitor : visitors)
        visitor.join();
}

}  // namespace
}  // namespace evalfleet::async
