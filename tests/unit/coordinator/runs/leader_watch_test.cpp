#include "coordinator/runs/leader_watch.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using std::chrono::seconds;

store::StoreLock::Sighting seen(std::int64_t beat, std::uint64_t epoch = 1) {
    store::LeaderCard card;
    card.epoch = epoch;
    return {card, beat};
}

TEST(LeaderWatch, CountsTheSilenceFromTheLastChangeItSaw) {
    const async::TimePoint begin{seconds(1000)};
    LeaderWatch watch;
    EXPECT_EQ(watch.silence(), seconds(0));
    watch.observe(begin, seen(5));
    watch.observe(begin + seconds(10), seen(5));
    EXPECT_EQ(watch.silence(), seconds(10));
    watch.observe(begin + seconds(11), seen(6));
    EXPECT_EQ(watch.silence(), seconds(0));
}

TEST(LeaderWatch, DoesNotCareWhichWayTheOtherClockGoes) {
    const async::TimePoint begin{seconds(1000)};
    LeaderWatch watch;
    watch.observe(begin, seen(500));
    watch.observe(begin + seconds(10), seen(3));
    EXPECT_EQ(watch.silence(), seconds(0));
}

TEST(LeaderWatch, GivesANewLeaderItsTime) {
    const async::TimePoint begin{seconds(1000)};
    LeaderWatch watch;
    watch.observe(begin, seen(5));
    watch.observe(begin + seconds(20), seen(5, 2));
    EXPECT_EQ(watch.silence(), seconds(0));
    EXPECT_EQ(watch.card()->epoch, 2U);
}

TEST(LeaderWatch, KeepsTheLastCardThatCouldBeRead) {
    const async::TimePoint begin{seconds(1000)};
    LeaderWatch watch;
    watch.observe(begin, seen(5, 3));
    watch.observe(begin + seconds(20), {std::nullopt, 5});
    EXPECT_EQ(watch.card()->epoch, 3U);
    EXPECT_EQ(watch.silence(), seconds(20));
}

}  // namespace
}  // namespace evalfleet::runs
