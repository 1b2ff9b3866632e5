#include "common/async/signals.hpp"

#include "tests/support/run_coroutine.hpp"

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
