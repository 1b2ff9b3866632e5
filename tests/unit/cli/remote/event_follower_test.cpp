#include "cli/remote/event_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::remote {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const async::TimePoint kStart{std::chrono::hours(1)};

http::Event event(std::string type, std::string state, std::string id) {
    return {std::move(type),
            R"({"run_id": "r1", "state": ")" + state +
                R"(", "total": 3, "done": 1, "failed": 0, "errors": 0, "in_flight": 1,
                   "folder": "f"})",
            std::move(id)};
}

TEST(EventFollower, TellsProgressAndRemembersWhereItWas) {
    EventFollower follower;
    EXPECT_EQ(follower.last_id(), "");
    const auto progress = follower.take(event("progress", "running", "1-running"), kStart);
    ASSERT_TRUE(progress) << progress.error().message;
    ASSERT_TRUE(*progress);
    EXPECT_EQ((*progress)->state, "running");
    EXPECT_EQ(follower.last_id(), "1-running");
    EXPECT_FALSE(follower.has_ended());
}

TEST(EventFollower, KnowsTheEnd) {
    EventFollower follower;
    ASSERT_TRUE(follower.take(event("end", "done", "3-done"), kStart));
    EXPECT_TRUE(follower.has_ended());
}

TEST(EventFollower, PassesOverEventsOfAnotherKind) {
    EventFollower follower;
    const auto progress = follower.take({"news", "whatever", "7"}, kStart);
    ASSERT_TRUE(progress);
    EXPECT_FALSE(*progress);
    EXPECT_EQ(follower.last_id(), "");
}

TEST(EventFollower, RefusesAnEventThatCannotBeRead) {
    EventFollower follower;
    const auto progress = follower.take({"progress", "{\"run_id\": 1}", "7"}, kStart);
    ASSERT_FALSE(progress);
    EXPECT_EQ(progress.error().kind, ErrorKind::invalid);
}

TEST(EventFollower, GivesUpAtOnceIfItNeverGotThrough) {
    EventFollower follower;
    EXPECT_EQ(follower.take_failure(kStart), std::nullopt);
}

TEST(EventFollower, ComesBackLaterEachTimeAndSoonAfterContact) {
    EventFollower follower;
    follower.take_contact(kStart);
    const auto first = follower.take_failure(kStart);
    const auto second = follower.take_failure(kStart);
    ASSERT_TRUE(first && second);
    EXPECT_GT(*second, *first);
    for (int i = 0; i < 100; ++i)
        EXPECT_LE(follower.take_failure(kStart).value(), seconds(8));
    follower.take_contact(kStart);
    EXPECT_EQ(follower.take_failure(kStart), first);
}

TEST(EventFollower, GivesUpWhenTheCoordinatorStaysAway) {
    EventFollower follower;
    follower.take_contact(kStart);
    EXPECT_TRUE(follower.take_failure(kStart + minutes(10)));
    EXPECT_EQ(follower.take_failure(kStart + minutes(10) + seconds(1)), std::nullopt);
}

}  // namespace
}  // namespace evalfleet::remote
