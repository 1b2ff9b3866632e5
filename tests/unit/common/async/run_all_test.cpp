#include "common/async/run_all.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <stdexcept>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Runs for ever and notes that it was stopped.
asio::awaitable<void> serve(Clock& clock, int& stopped) {
    try {
        co_await clock.wait_for(1000h);
    } catch (...) {
        ++stopped;
        throw;
    }
}

asio::awaitable<void> die(const char* message) {
    throw std::runtime_error(message);
    co_return;
}

asio::awaitable<void> return_after(Clock& clock, Duration delay) {
    co_await clock.wait_for(delay);
}

template <class... Roles>
std::vector<asio::awaitable<void>> roles(Roles... role) {
    std::vector<asio::awaitable<void>> all;
    (all.push_back(std::move(role)), ...);
    return all;
}

TEST(RunAll, ReportsTheErrorOfTheFirstToFailWhereverItStands) {
    testing::ManualClock clock;
    int stopped = 0;
    try {
        testing::run(
            run_all(roles(serve(clock, stopped), die("the cause"), serve(clock, stopped))));
        FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the cause");
    }
    EXPECT_EQ(stopped, 2);
}

TEST(RunAll, StopsTheOthersWhenOneReturnsAndNamesIt) {
    testing::ManualClock clock;
    asio::io_context context(1);
    int stopped = 0;
    std::optional<std::size_t> first;
    asio::co_spawn(context, run_all(roles(serve(clock, stopped), return_after(clock, 1s))),
                   [&](std::exception_ptr, std::size_t index) { first = index; });
    context.poll();
    EXPECT_FALSE(first);
    clock.advance(1s);
    context.poll();
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(stopped, 1);
}

TEST(RunAll, PassesCancellationOnToEveryRole) {
    testing::ManualClock clock;
    asio::io_context context(1);
    asio::cancellation_signal signal;
    int stopped = 0;
    std::exception_ptr failure;
    asio::co_spawn(
        context, run_all(roles(serve(clock, stopped), serve(clock, stopped))),
        asio::bind_cancellation_slot(
            signal.slot(), [&](std::exception_ptr thrown, std::size_t) { failure = thrown; }));
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    context.poll();
    EXPECT_EQ(stopped, 2);
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
}

TEST(RunAll, RefusesToRunNothing) {
    EXPECT_THROW(testing::run(run_all({})), std::logic_error);
}

}  // namespace
}  // namespace evalfleet::async
