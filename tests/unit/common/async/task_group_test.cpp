#include "common/async/task_group.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> wait_then_count(Clock& clock, int& count) {
    co_await clock.wait_for(10s);
    ++count;
}

asio::awaitable<void> throw_logic_error() {
    throw std::logic_error("bug");
    co_return;
}

class TaskGroupTest : public ::testing::Test {
  protected:
    void poll() {
        context.restart();
        context.poll();
    }

    testing::ManualClock clock;
    asio::io_context context{1};
    std::vector<std::exception_ptr> failures;
    TaskGroup group{context.get_executor(),
                    [this](std::exception_ptr failure) { failures.push_back(failure); }};
};

TEST_F(TaskGroupTest, JoinAwaitsEveryTask) {
    int count = 0;
    EXPECT_TRUE(group.spawn(wait_then_count(clock, count)));
    EXPECT_TRUE(group.spawn(wait_then_count(clock, count)));
    poll();
    bool joined = false;
    asio::co_spawn(context, group.join(), [&](const std::exception_ptr&) { joined = true; });
    poll();
    EXPECT_FALSE(joined);
    clock.advance(10s);
    poll();
    EXPECT_TRUE(joined);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(group.size(), 0U);
}

TEST_F(TaskGroupTest, ReportsWhatATaskThrew) {
    group.spawn(throw_logic_error());
    poll();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_THROW(std::rethrow_exception(failures.front()), std::logic_error);
    testing::run(context, group.join());
}

TEST_F(TaskGroupTest, CancelStopsTheTasksWithoutReportingThem) {
    int count = 0;
    for (int i = 0; i < 5; ++i)
        group.spawn(wait_then_count(clock, count));
    poll();
    group.cancel();
    testing::run(context, group.join());
    EXPECT_EQ(count, 0);
    EXPECT_TRUE(failures.empty());
}

TEST_F(TaskGroupTest, TakesNothingInOnceCancelled) {
    group.cancel();
    int count = 0;
    EXPECT_FALSE(group.spawn(wait_then_count(clock, count)));
    testing::run(context, group.join());
}

TEST_F(TaskGroupTest, SurvivesBeingStartedAndStoppedManyTimes) {
    for (int round = 0; round < 50; ++round) {
        TaskGroup fresh(context.get_executor(), [](std::exception_ptr) { FAIL(); });
        int count = 0;
        for (int i = 0; i < round % 5; ++i)
            fresh.spawn(wait_then_count(clock, count));
        if (round % 2 == 0) poll();
        fresh.cancel();
        testing::run(context, fresh.join());
    }
}

}  // namespace
}  // namespace evalfleet::async
