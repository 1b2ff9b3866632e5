#include "coordinator/traces/trace_buffer.hpp"

#include <gtest/gtest.h>

namespace evalfleet::traces {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

TEST(TraceBuffer, GivesRecordsBackInTheirOrder) {
    TraceBuffer buffer({.records = 8, .bytes = 100});
    for (const char* record : {"one", "two", "three"})
        EXPECT_TRUE(buffer.put(record, TimePoint()));
    const auto two = buffer.take(2);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].record, "one");
    EXPECT_EQ(two[1].record, "two");
    EXPECT_EQ(buffer.take(9).size(), 1U);
    EXPECT_TRUE(buffer.empty());
}

TEST(TraceBuffer, RefusesWhatIsBeyondItsRecords) {
    TraceBuffer buffer({.records = 2, .bytes = 100});
    EXPECT_TRUE(buffer.put("a", TimePoint()));
    EXPECT_TRUE(buffer.put("b", TimePoint()));
    EXPECT_FALSE(buffer.put("c", TimePoint()));
    EXPECT_EQ(buffer.take(1).size(), 1U);
    EXPECT_TRUE(buffer.put("c", TimePoint()));
}

TEST(TraceBuffer, RefusesWhatIsBeyondItsBytesAndHasRoomAgainAfterATake) {
    TraceBuffer buffer({.records = 100, .bytes = 10});
    EXPECT_FALSE(buffer.put("eleven byte", TimePoint()));
    EXPECT_TRUE(buffer.put("123456", TimePoint()));
    EXPECT_FALSE(buffer.put("12345", TimePoint()));
    EXPECT_TRUE(buffer.put("1234", TimePoint()));
    EXPECT_EQ(buffer.take(9).size(), 2U);
    EXPECT_TRUE(buffer.put("1234567890", TimePoint()));
}

}  // namespace
}  // namespace evalfleet::traces
