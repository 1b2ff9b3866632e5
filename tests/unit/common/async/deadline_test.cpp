#include "common/async/deadline.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <stdexcept>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<Result<int>> answer_after(Clock& clock, Duration delay, int value) {
    co_await clock.wait_for(delay);
    co_return value;
}

asio::awaitable<Result<int>> throw_at_once() {
    throw std::runtime_error("broken");
    co_return 0;
}

asio::awaitable<Result<int>> fail_at_once() {
    co_return Error{ErrorKind::denied, "no"};
}

// An operation that, when cancelled, still comes to its value.
asio::awaitable<Result<int>> finish_in_spite_of_cancellation(Clock& clock) {
    co_await asio::this_coro::throw_if_cancelled(false);
    try {
        co_await clock.wait_for(1h);
    } catch (const boost::system::system_error&) {
    }
    co_return 7;
}

struct Outcome {
    bool ended = false;
    std::exception_ptr failure;
    Result<int> result{0};
};

class WithDeadline : public ::testing::Test {
  protected:
    void start(asio::awaitable<Result<int>> operation, Duration limit) {
        asio::co_spawn(context, with_deadline(clock, clock.now() + limit, std::move(operation)),
                       asio::bind_cancellation_slot(
                           signal.slot(), [this](std::exception_ptr failure, Result<int> result) {
                               outcome = {true, std::move(failure), std::move(result)};
                           }));
        context.poll();
    }

    void advance(Duration step) {
        clock.advance(step);
        context.poll();
    }

    testing::ManualClock clock;
    asio::io_context context{1};
    asio::cancellation_signal signal;
    Outcome outcome;
};

TEST_F(WithDeadline, PassesOnAValueThatComesInTime) {
    start(answer_after(clock, 1s, 42), 5s);
    EXPECT_FALSE(outcome.ended);
    advance(1s);
    ASSERT_TRUE(outcome.ended);
    EXPECT_EQ(outcome.result.value(), 42);
    EXPECT_EQ(clock.count_sleepers(), 0U) << "the timer is still waiting";
}

TEST_F(WithDeadline, EndsAsTimeoutWhenTheDeadlineComesFirst) {
    start(answer_after(clock, 10s, 42), 5s);
    advance(4s);
    EXPECT_FALSE(outcome.ended);
    advance(1s);
    ASSERT_TRUE(outcome.ended);
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().kind, ErrorKind::timeout);
    EXPECT_EQ(clock.count_sleepers(), 0U) << "the operation was not cancelled";
}

TEST_F(WithDeadline, RethrowsAnExceptionAtOnce) {
    start(throw_at_once(), 5s);
    ASSERT_TRUE(outcome.ended);
    EXPECT_THROW(std::rethrow_exception(outcome.failure), std::runtime_error);
}

TEST_F(WithDeadline, PassesOnAnErrorAtOnce) {
    start(fail_at_once(), 5s);
    ASSERT_TRUE(outcome.ended);
    EXPECT_EQ(outcome.result.error().kind, ErrorKind::denied);
}

TEST_F(WithDeadline, ReportsCancellationFromOutsideAsSuchAndNotAsTimeout) {
    start(answer_after(clock, 10s, 42), 5s);
    signal.emit(asio::cancellation_type::terminal);
    context.poll();
    ASSERT_TRUE(outcome.ended);
    try {
        std::rethrow_exception(outcome.failure);
    } catch (const boost::system::system_error& error) {
        EXPECT_EQ(error.code(), asio::error::operation_aborted);
    }
}

TEST_F(WithDeadline, KeepsAValueThatArrivesInSpiteOfTheDeadline) {
    start(finish_in_spite_of_cancellation(clock), 5s);
    advance(5s);
    ASSERT_TRUE(outcome.ended);
    EXPECT_EQ(outcome.result.value(), 7);
}

TEST_F(WithDeadline, NeverMeansNoTimer) {
    start(with_deadline(clock, kNever, answer_after(clock, 1s, 42)), 5s);
    EXPECT_EQ(clock.count_sleepers(), 2U) << "one for the operation, one for the outer deadline";
    advance(1s);
    EXPECT_EQ(outcome.result.value(), 42);
}

TEST(WithDeadlineOnThreads, IsCleanWhenAnswersAndDeadlinesRace) {
    SystemClock clock;
    asio::thread_pool pool(4);
    std::vector<std::future<Result<int>>> outcomes;
    for (int i = 0; i < 400; ++i) {
        outcomes.push_back(
            asio::co_spawn(asio::make_strand(pool),
                           with_deadline(clock, clock.now() + std::chrono::microseconds(500),
                                         answer_after(clock, std::chrono::microseconds(500), i)),
                           asio::use_future));
    }
    for (int i = 0; i < 400; ++i) {
        const Result<int> result = outcomes[static_cast<std::size_t>(i)].get();
        if (result)
            EXPECT_EQ(*result, i);
        else
            EXPECT_EQ(result.error().kind, ErrorKind::timeout);
    }
}

}  // namespace
}  // namespace evalfleet::async
