#include "common/async/alarm.hpp"

#include "tests/support/manual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>

namespace evalfleet::async {
namespace {

using namespace std::chrono_literals;

class AlarmOfAClock : public ::testing::Test {
  protected:
    void set(Duration delay) {
        alarm = std::make_unique<Alarm>(clock, context.get_executor(), clock.now() + delay,
                                        [this] { ++rings; });
        context.poll();
    }

    void advance(Duration step) {
        clock.advance(step);
        context.restart();
        context.poll();
    }

    testing::ManualClock clock;
    boost::asio::io_context context{1};
    std::unique_ptr<Alarm> alarm;
    int rings = 0;
};

TEST_F(AlarmOfAClock, RingsOnceWhenItsTimeHasCome) {
    set(5s);
    advance(4s);
    EXPECT_EQ(rings, 0);
    advance(1s);
    EXPECT_EQ(rings, 1);
    advance(1h);
    EXPECT_EQ(rings, 1);
}

TEST_F(AlarmOfAClock, DoesNotRingOnceItIsStoppedOrGone) {
    set(5s);
    alarm->stop();
    alarm->stop();
    advance(1h);
    set(5s);
    alarm.reset();
    advance(1h);
    EXPECT_EQ(rings, 0);
    EXPECT_EQ(clock.count_sleepers(), 0U);
}

TEST(AlarmOfTheMachine, RingsOnceAndNotIfItIsGoneThoughItsTimeHadCome) {
    SystemClock clock;
    boost::asio::io_context context(1);
    int rings = 0;
    const Alarm alarm(clock, context.get_executor(), clock.now(), [&] { ++rings; });
    std::make_unique<Alarm>(clock, context.get_executor(), clock.now(), [&] { rings += 10; });
    context.run();
    EXPECT_EQ(rings, 1);
}

}  // namespace
}  // namespace evalfleet::async
