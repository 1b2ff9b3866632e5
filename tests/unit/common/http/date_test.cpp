#include "common/http/date.hpp"

#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

const sys_seconds kNow{seconds(1'700'000'000)};  // 2023-11-14
const sys_seconds kThen{seconds(784'111'777)};   // 1994-11-06 08:49:37

TEST(HttpDate, ReadsAllThreeForms) {
    EXPECT_EQ(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), kThen);
    EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kThen);
    EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994", kNow), kThen);
    EXPECT_EQ(parse_date("  Sun, 06 Nov 1994 08:49:37 GMT ", kNow), kThen);
}

TEST(HttpDate, TakesAYearOfTwoDigitsFromThisCenturyUnlessThatIsFarOff) {
    EXPECT_EQ(parse_date("Friday, 01-Jan-60 00:00:00 GMT", kNow),
              parse_date("Thu, 01 Jan 2060 00:00:00 GMT", kNow));
    EXPECT_EQ(parse_date("Friday, 01-Jan-80 00:00:00 GMT", kNow),
              parse_date("Tue, 01 Jan 1980 00:00:00 GMT", kNow));
}

TEST(HttpDate, RefusesWhatIsNotADate) {
    for (const char* text : {"", "tomorrow", "Sun, 06 Nov 1994", "Sun, 31 Feb 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
                             "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 GMT x",
                             "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
                             "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT",
                             "Sun Nov 6 08:49:37 94"}) {
        EXPECT_FALSE(parse_date(text, kNow)) << text;
    }
}

TEST(HttpDate, WritesWhatItReads) {
    EXPECT_EQ(format_date(kThen), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(parse_date(format_date(kNow), kNow), kNow);
}

}  // namespace
}  // namespace evalfleet::http
