#include "common/async/clock.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Starts a wait of `duration` and returns how it ended in `ended`.
void start_wait(asio::io_context& context, Clock& clock, Duration duration,
                asio::cancellation_signal& signal, std::exception_ptr& failure, bool& ended) {
    asio::co_spawn(context, clock.wait_for(duration),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr thrown) {
                       failure = std::move(thrown);
                       ended = true;
                   }));
}

TEST(SystemClock, WaitsUntilTheMomentHasCome) {
    SystemClock clock;
    const auto start = clock.now();
    testing::run(*std::make_unique<asio::io_context>(1), clock.wait_until(start + 2ms));
    EXPECT_GE(clock.now() - start, 2ms);
}

TEST(SystemClock, WaitIsAbortedByCancellation) {
    SystemClock clock;
    asio::io_context context(1);
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    bool ended = false;
    start_wait(context, clock, 1h, signal, failure, ended);
    asio::post(context, [&] { signal.emit(asio::cancellation_type::terminal); });
    context.run();
    ASSERT_TRUE(ended);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
}

TEST(ManualClock, WakesExactlyThoseWhoseMomentHasCome) {
    testing::ManualClock clock;
    asio::io_context context(1);
    asio::cancellation_signal early_signal;
    asio::cancellation_signal late_signal;
    std::exception_ptr failure;
    bool early = false;
    bool late = false;
    start_wait(context, clock, 10s, early_signal, failure, early);
    start_wait(context, clock, 20s, late_signal, failure, late);
    context.poll();
    EXPECT_EQ(clock.count_sleepers(), 2U);

    clock.advance(10s);
    context.poll();
    EXPECT_TRUE(early);
    EXPECT_FALSE(late);

    clock.advance(10s);
    context.poll();
    EXPECT_TRUE(late);
    EXPECT_FALSE(failure);
}

TEST(ManualClock, WaitIsAbortedByCancellation) {
    testing::ManualClock clock;
    asio::io_context context(1);
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    bool ended = false;
    start_wait(context, clock, 10s, signal, failure, ended);
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    context.poll();
    EXPECT_TRUE(ended);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_EQ(clock.count_sleepers(), 0U);
}

}  // namespace
}  // namespace evalfleet::async
