#include "coordinator/runs/retention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::chrono::system_clock::time_point kNow{hours(1'000'000)};

std::vector<OverRun> runs() {
    return {{"c", kNow - hours(10)},
            {"a", kNow - hours(100)},
            {"b", kNow - hours(50)},
            {"d", kNow - hours(1)}};
}

TEST(Retention, KeepsEverythingWithoutABound) {
    EXPECT_THAT(choose_expired(runs(), {}, {}, kNow), IsEmpty());
    EXPECT_FALSE(Retention{}.is_bounded());
}

TEST(Retention, LetsTheOldestGoFirst) {
    EXPECT_THAT(choose_expired(runs(), {}, {.max_runs = 2}, kNow), ElementsAre("a", "b"));
    EXPECT_THAT(choose_expired(runs(), {}, {.max_runs = 4}, kNow), IsEmpty());
}

TEST(Retention, LetsGoWhatIsTooOld) {
    EXPECT_THAT(choose_expired(runs(), {}, {.max_age = hours(48)}, kNow), ElementsAre("a", "b"));
}

TEST(Retention, GoesByWhicheverBoundIsReachedFirst) {
    EXPECT_THAT(choose_expired(runs(), {}, {.max_runs = 3, .max_age = hours(5)}, kNow),
                ElementsAre("a", "b", "c"));
}

TEST(Retention, NeverTouchesWhatIsKept) {
    EXPECT_THAT(choose_expired(runs(), {"a"}, {.max_runs = 1}, kNow), ElementsAre("b", "c"));
}

TEST(Retention, IsReadFromOneWord) {
    EXPECT_FALSE(parse_retention("")->is_bounded());
    EXPECT_EQ(parse_retention("100")->max_runs, 100U);
    EXPECT_EQ(parse_retention("30d")->max_age, hours(720));
    EXPECT_EQ(parse_retention("100,30d")->max_runs, 100U);
    EXPECT_EQ(parse_retention("30d,100")->max_age, hours(720));
    for (const char* wrong : {"0", "d", "-1", "1.5", "30 d", "100,", "99999999999d", "x"})
        EXPECT_FALSE(parse_retention(wrong)) << wrong;
}

}  // namespace
}  // namespace evalfleet::runs
