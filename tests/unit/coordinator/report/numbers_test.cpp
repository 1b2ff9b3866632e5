#include "coordinator/report/numbers.hpp"

#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

TEST(Numbers, AreWrittenByTheirUnit) {
    EXPECT_EQ(show(0.8534, Unit::score), "0.853");
    EXPECT_EQ(show(0.8534, Unit::share), "85.3 %");
    EXPECT_EQ(show(3.14, Unit::milliseconds), "3.1 ms");
    EXPECT_EQ(show(812.4, Unit::milliseconds), "812 ms");
    EXPECT_EQ(show(1520, Unit::milliseconds), "1.52 s");
    EXPECT_EQ(show(12345, Unit::milliseconds), "12.3 s");
    EXPECT_EQ(show(1234.6, Unit::tokens), "1,235");
    EXPECT_EQ(show(0.0123, Unit::usd), "$0.0123");
    EXPECT_EQ(show(12.3, Unit::usd), "$12.30");
}

TEST(Numbers, ShowADashForWhatIsUnknown) {
    EXPECT_EQ(show(std::optional<double>(), Unit::score), "–");
    EXPECT_EQ(show(std::optional<statistics::Interval>(), Unit::score), "–");
    EXPECT_EQ(show(statistics::Interval{0.1, 0.2}, Unit::share), "10.0 % to 20.0 %");
}

TEST(Numbers, GroupDigits) {
    EXPECT_EQ(show_count(std::int64_t{0}), "0");
    EXPECT_EQ(show_count(std::int64_t{999}), "999");
    EXPECT_EQ(show_count(std::int64_t{1000}), "1,000");
    EXPECT_EQ(show_count(std::int64_t{-1234567}), "-1,234,567");
    EXPECT_EQ(show_count(std::uint64_t{1234567890}), "1,234,567,890");
}

}  // namespace
}  // namespace evalfleet::report
