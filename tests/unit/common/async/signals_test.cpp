#include "common/async/signals.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace evalfleet::async {
namespace {

TEST(SignalListener, DeliversASignalThatCameBeforeTheWait) {
    boost::asio::io_context context(1);
    SignalListener listener(context.get_executor(), {SIGUSR1, SIGUSR2});
    std::raise(SIGUSR2);
    EXPECT_EQ(testing::run(context, listener.next()), SIGUSR2);
}

TEST(SignalListener, CanBeCancelledAndWaitAgain) {
    boost::asio::io_context context(1);
    SignalListener listener(context.get_executor(), {SIGUSR1});
    boost::asio::cancellation_signal cancellation;
    std::exception_ptr thrown;
    boost::asio::co_spawn(context, listener.next(),
                          boost::asio::bind_cancellation_slot(
                              cancellation.slot(),
                              [&](const std::exception_ptr& failure, int) { thrown = failure; }));
    boost::asio::post(context,
                      [&] { cancellation.emit(boost::asio::cancellation_type::terminal); });
    context.run();
    ASSERT_TRUE(thrown);
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
        EXPECT_EQ(error.code(), boost::asio::error::operation_aborted);
    }
    context.restart();
    std::raise(SIGUSR1);
    EXPECT_EQ(testing::run(context, listener.next()), SIGUSR1);
}

TEST(BrokenPipe, IsAnErrorAndNotTheEnd) {
    ignore_broken_pipes();
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
    close(ends[1]);
}

}  // namespace
}  // namespace evalfleet::async
