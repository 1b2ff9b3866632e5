#include "common/async/notifier.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <list>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

class NotifierTest : public ::testing::Test {
  protected:
    void start(TimePoint deadline) {
        // A slot serves one operation at a time.
        asio::cancellation_signal& signal = signals.emplace_back();
        context.restart();
        asio::co_spawn(
            context, notifier.wait(clock, deadline),
            asio::bind_cancellation_slot(signal.slot(), [this](std::exception_ptr thrown) {
                failure = std::move(thrown);
                ++ended;
            }));
        context.poll();
    }

    testing::ManualClock clock;
    asio::io_context context{1};
    std::list<asio::cancellation_signal> signals;
    Notifier notifier;
    std::exception_ptr failure;
    int ended = 0;
};

TEST_F(NotifierTest, WakesEverybodyWhoWaits) {
    start(kNever);
    start(kNever);
    EXPECT_EQ(ended, 0);
    notifier.notify_all();
    context.poll();
    EXPECT_EQ(ended, 2);
    EXPECT_FALSE(failure);
}

TEST_F(NotifierTest, EndsAtTheDeadlineWithoutNotice) {
    start(clock.now() + 5s);
    clock.advance(5s);
    context.poll();
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(failure);
}

TEST_F(NotifierTest, DoesNotRememberWhatNobodyWaitedFor) {
    notifier.notify_all();
    start(kNever);
    EXPECT_EQ(ended, 0);
    notifier.notify_all();
    context.poll();
    EXPECT_EQ(ended, 1);
}

TEST_F(NotifierTest, IsAbortedByCancellationWithAndWithoutDeadline) {
    for (const TimePoint deadline : {kNever, clock.now() + 5s}) {
        ended = 0;
        start(deadline);
        signals.back().emit(asio::cancellation_type::terminal);
        context.poll();
        ASSERT_EQ(ended, 1);
        ASSERT_TRUE(failure);
        EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    }
}

}  // namespace
}  // namespace evalfleet::async
