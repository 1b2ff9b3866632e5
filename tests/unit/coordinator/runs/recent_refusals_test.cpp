#include "coordinator/runs/recent_refusals.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using std::chrono::seconds;

class Refusals : public ::testing::Test {
  protected:
    void look(int second, std::uint64_t total) {
        queue::LimitStats limit;
        limit.key = "main";
        limit.refused = total;
        recent_.observe({limit}, async::TimePoint{} + seconds(second));
    }
    [[nodiscard]] std::string text() const { return to_text(recent_.of("main")); }

    RecentRefusals recent_;
};

TEST_F(Refusals, AreThoseOfTheLastMinute) {
    recent_.observe({}, async::TimePoint{});
    for (int second = 1; second <= 300; ++second)
        look(second, static_cast<std::uint64_t>(second) * 3);
    EXPECT_EQ(recent_.of("main").calls, 180U);
    EXPECT_EQ(text(), "180 calls refused in the last minute");
}

TEST_F(Refusals, AreForgottenAfterAMinuteOfQuiet) {
    recent_.observe({}, async::TimePoint{});
    look(1, 200);
    for (int second = 2; second <= 62; ++second)
        look(second, 200);
    EXPECT_EQ(recent_.of("main").calls, 0U);
}

TEST_F(Refusals, OfBeforeTheFirstLookAreNotOfTheLastMinute) {
    look(0, 5000);
    EXPECT_EQ(recent_.of("main").calls, 0U);
    look(20, 5007);
    EXPECT_EQ(text(), "7 calls refused in the last 20 s");
}

TEST_F(Refusals, OfAKeyThatIsNewAreAllRecent) {
    recent_.observe({}, async::TimePoint{});
    look(1, 1);
    EXPECT_EQ(text(), "1 call refused in the last 1 s");
}

TEST_F(Refusals, CountAnewAfterRedisLostThem) {
    look(0, 100);
    look(10, 150);
    look(11, 4);
    EXPECT_EQ(recent_.of("main").calls, 4U);
}

TEST_F(Refusals, OfAKeyThatIsGoneAreNone) {
    look(0, 100);
    look(1, 150);
    recent_.observe({}, async::TimePoint{} + seconds(2));
    EXPECT_EQ(recent_.of("main").calls, 0U);
}

TEST_F(Refusals, KeepNoMoreThanAMinuteOfLooksWhenLooksAreRare) {
    look(0, 0);
    look(45, 10);
    look(90, 20);
    look(135, 30);
    EXPECT_EQ(recent_.of("main").calls, 20U) << "since the look that is a minute old or more";
}

}  // namespace
}  // namespace evalfleet::runs
