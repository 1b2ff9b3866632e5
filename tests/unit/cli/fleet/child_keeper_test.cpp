#include "cli/fleet/child_keeper.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace evalfleet::fleet {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RestartPause, DoublesUpToFiveSeconds) {
    EXPECT_EQ(restart_pause(0), 100ms);
    EXPECT_EQ(restart_pause(1), 200ms);
    EXPECT_EQ(restart_pause(2), 400ms);
    EXPECT_EQ(restart_pause(5), 3200ms);
    EXPECT_EQ(restart_pause(6), 5000ms);
    EXPECT_EQ(restart_pause(~std::uint64_t{0}), 5000ms);
}

/// Real children, and a clock that the test moves.
class ChildKeeperTest : public ::testing::Test {
  protected:
    void start() {
        ASSERT_TRUE(keeper_.start(context_.get_executor()));
        boost::asio::co_spawn(context_, keeper_.run(),
                              [this](std::exception_ptr) { run_is_over_ = true; });
    }
    void begin_stop(async::Duration patience) {
        boost::asio::co_spawn(context_, keeper_.stop(clock_.now() + patience),
                              [this](std::exception_ptr) { stop_is_over_ = true; });
    }
    /// Lets things happen until `condition`; false if nothing does any more, rather than hang.
    bool happens(const std::function<bool()>& condition) {
        while (!condition())
            if (context_.run_one_for(10s) == 0) return false;
        return true;
    }
    bool dies() {
        const std::size_t lines = lines_.size();
        ::kill(keeper_.pid(), SIGKILL);
        return happens([&] { return lines_.size() > lines && clock_.count_sleepers() == 1; });
    }
    bool comes_back_after(async::Duration pause) {
        const std::uint64_t restarts = keeper_.count_restarts();
        clock_.advance(pause);
        return happens([&] { return keeper_.count_restarts() > restarts; }) && keeper_.pid() > 0;
    }

    ::evalfleet::testing::TemporaryFolder folder_;
    boost::asio::io_context context_{1};
    ::evalfleet::testing::ManualClock clock_;
    std::vector<std::string> lines_;
    bool run_is_over_ = false;
    bool stop_is_over_ = false;
    ChildKeeper keeper_{{"worker 2", {"/bin/sleep", "600"}, folder_ / "log"},
                        clock_,
                        [this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(ChildKeeperTest, StartsAChildThatDiedAgainAndSaysSo) {
    start();
    const pid_t first = keeper_.pid();
    ASSERT_TRUE(dies());
    EXPECT_EQ(keeper_.pid(), 0);
    EXPECT_EQ(keeper_.count_restarts(), 0u);
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_THAT(lines_[0], AllOf(HasSubstr("worker 2 ended (signal 9)"), HasSubstr("in 100 ms"),
                                 HasSubstr((folder_ / "log").string())));
    ASSERT_TRUE(comes_back_after(100ms));
    EXPECT_NE(keeper_.pid(), first);
    EXPECT_EQ(keeper_.count_restarts(), 1u);
    EXPECT_FALSE(run_is_over_);
}

TEST_F(ChildKeeperTest, DoublesThePauseWithEachEarlyDeath) {
    start();
    for (const auto pause : {100ms, 200ms, 400ms, 800ms}) {
        ASSERT_TRUE(dies());
        EXPECT_THAT(lines_.back(), HasSubstr("in " + std::to_string(pause.count()) + " ms"));
        ASSERT_TRUE(comes_back_after(pause));
    }
}

TEST_F(ChildKeeperTest, BeginsAnewAfterALongLife) {
    start();
    ASSERT_TRUE(dies());
    ASSERT_TRUE(comes_back_after(100ms));
    context_.poll();  // the life that is measured begins
    clock_.advance(61s);
    ASSERT_TRUE(dies());
    EXPECT_THAT(lines_.back(), HasSubstr("in 100 ms"));
}

TEST_F(ChildKeeperTest, EndsAChildThatIsToldTo) {
    start();
    context_.poll();
    begin_stop(10s);
    ASSERT_TRUE(happens([&] { return run_is_over_; }));
    EXPECT_EQ(keeper_.pid(), 0);
    clock_.advance(20ms);
    EXPECT_TRUE(happens([&] { return stop_is_over_; }));
    EXPECT_TRUE(lines_.empty());
    EXPECT_EQ(keeper_.count_restarts(), 0u);
}

TEST_F(ChildKeeperTest, KillsAChildThatDoesNotListenAtTheDeadline) {
    // A signal that is ignored stays so in a child.
    const auto before = std::signal(SIGTERM, SIG_IGN);
    start();
    std::signal(SIGTERM, before);
    begin_stop(10s);
    ASSERT_TRUE(happens([&] { return clock_.count_sleepers() == 1; }));
    context_.poll();
    EXPECT_FALSE(run_is_over_);
    EXPECT_GT(keeper_.pid(), 0);
    clock_.advance(10s);
    ASSERT_TRUE(happens([&] { return run_is_over_; }));
    clock_.advance(20ms);
    EXPECT_TRUE(happens([&] { return stop_is_over_; }));
    EXPECT_EQ(keeper_.pid(), 0);
}

TEST_F(ChildKeeperTest, DoesNotStartAgainOnceItIsStopped) {
    start();
    ASSERT_TRUE(dies());
    keeper_.begin_stop();
    clock_.advance(100ms);
    ASSERT_TRUE(happens([&] { return run_is_over_; }));
    EXPECT_EQ(keeper_.pid(), 0);
    EXPECT_EQ(keeper_.count_restarts(), 0u);
}

TEST_F(ChildKeeperTest, TellsThatAProgramIsNotThere) {
    ChildKeeper keeper({"worker 1", {"/no/such/program"}, folder_ / "log"}, clock_,
                       [](const std::string&) {});
    const Status started = keeper.start(context_.get_executor());
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace evalfleet::fleet
