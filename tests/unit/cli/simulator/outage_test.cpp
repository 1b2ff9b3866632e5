#include "cli/simulator/outage.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

constexpr async::TimePoint kStart{1h};

TEST(Outage, IsReadFromItsThreeParts) {
    EXPECT_EQ(Outage::parse("10:60:503").value(), (Outage{10s, 60s, 503}));
    EXPECT_EQ(Outage::parse("0.5:2m:refuse").value(), (Outage{500ms, 120s, std::nullopt}));
    for (const char* bad : {"", "10:60", "10:60:", "10:60:200", "10:60:600", "10:60:closed",
                            "x:60:503", "10:y:503", "10:60:503:1"})
        EXPECT_FALSE(Outage::parse(bad)) << bad;
}

TEST(OutagePlan, BeginsWithTheFirstRequest) {
    OutagePlan plan({Outage{0s, 60s, 503}, Outage{0s, 60s, {}}});
    EXPECT_FALSE(plan.status_at(kStart));
    EXPECT_FALSE(plan.next_refusal(kStart));
    plan.note_request(kStart);
    plan.note_request(kStart + 30s);
    EXPECT_EQ(plan.status_at(kStart), 503);
    EXPECT_FALSE(plan.status_at(kStart + 60s));
    EXPECT_EQ(plan.next_refusal(kStart)->until, kStart + 60s);
}

TEST(OutagePlan, SaysWhatIsOutOfOrderWhen) {
    OutagePlan plan({Outage{10s, 5s, 503}, Outage{20s, 5s, 429}});
    plan.note_request(kStart);
    EXPECT_FALSE(plan.status_at(kStart + 9s));
    EXPECT_EQ(plan.status_at(kStart + 10s), 503);
    EXPECT_FALSE(plan.status_at(kStart + 15s));
    EXPECT_EQ(plan.status_at(kStart + 24s), 429);
    EXPECT_FALSE(plan.has_refusals());
    EXPECT_FALSE(plan.next_refusal(kStart));
}

TEST(OutagePlan, NamesTheNextRefusalUntilItIsOver) {
    using Stretch = OutagePlan::Stretch;
    OutagePlan plan({Outage{30s, 5s, {}}, Outage{10s, 5s, {}}});
    plan.note_request(kStart);
    EXPECT_TRUE(plan.has_refusals());
    EXPECT_FALSE(plan.status_at(kStart + 11s));
    EXPECT_EQ(plan.next_refusal(kStart), (Stretch{kStart + 10s, kStart + 15s}));
    EXPECT_EQ(plan.next_refusal(kStart + 14s), (Stretch{kStart + 10s, kStart + 15s}));
    EXPECT_EQ(plan.next_refusal(kStart + 15s), (Stretch{kStart + 30s, kStart + 35s}));
    EXPECT_FALSE(plan.next_refusal(kStart + 35s));
}

}  // namespace
}  // namespace evalfleet::simulator
