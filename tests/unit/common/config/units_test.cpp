#include "common/config/units.hpp"

#include "common/config/validator.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace evalfleet::config {
namespace {

using namespace std::chrono_literals;

TEST(Units, ReadDurations) {
    EXPECT_EQ(*parse_duration("500ms", 1s), 500ms);
    EXPECT_EQ(*parse_duration("30s", 1s), 30s);
    EXPECT_EQ(*parse_duration("1.5h", 1s), 90min);
    EXPECT_EQ(*parse_duration("2 d", 1s), 48h);
    EXPECT_EQ(*parse_duration("7", 1s), 7s);
    EXPECT_EQ(*parse_duration("7", 1ms), 7ms);
    for (const std::string_view bad :
         {"", "s", "-1s", "1x", "1 s s", "nan", "inf", "1e300s", "99999999999d"}) {
        EXPECT_FALSE(parse_duration(bad, 1s)) << bad;
    }
}

TEST(Units, ReadByteSizes) {
    EXPECT_EQ(parse_byte_size("4096")->bytes, 4096U);
    EXPECT_EQ(parse_byte_size("64MiB")->bytes, 64U << 20);
    EXPECT_EQ(parse_byte_size("1.5GiB")->bytes, 1610612736U);
    EXPECT_EQ(parse_byte_size("10kB")->bytes, 10000U);
    for (const std::string_view bad : {"", "-1", "1QiB", "MiB", "1e40"}) {
        EXPECT_FALSE(parse_byte_size(bad)) << bad;
    }
}

TEST(Units, FormatsReadBackExactly) {
    for (const std::chrono::nanoseconds duration :
         std::vector<std::chrono::nanoseconds>{0ns, 1ns, 1500us, 250ms, 90s, 1h}) {
        EXPECT_EQ(*parse_duration(format_duration(duration), 1s), duration);
    }
    EXPECT_EQ(format_duration(90s), "90s");
    EXPECT_EQ(format_duration(2h), "2h");
    for (const std::uint64_t bytes : {0U, 1U, 1000U, 1024U, 1025U, 67108864U}) {
        EXPECT_EQ(parse_byte_size(format_byte_size({bytes}))->bytes, bytes);
    }
}

TEST(Units, ReadNumbersStrictly) {
    EXPECT_EQ(*parse_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(*parse_uint64("18446744073709551615"), ~std::uint64_t{0});
    for (const std::string_view bad :
         {"", " 1", "1 ", "1x", "0x10", "1.0", "18446744073709551616"}) {
        EXPECT_FALSE(parse_uint64(bad)) << bad;
    }
    EXPECT_FALSE(parse_double("nan"));
    EXPECT_TRUE(*parse_bool("on"));
    EXPECT_FALSE(parse_bool("TRUE1"));
}

TEST(Validator, NamesFieldValueAndWhatIsAllowed) {
    Validator validator;
    validator.check(true, "good", 1, "anything");
    EXPECT_TRUE(validator.status());
    validator.check(false, "lease", -5, "1 or more");
    validator.check(false, "name", "x y", "no spaces");
    EXPECT_EQ(validator.status().error().message,
              "lease: found -5, allowed: 1 or more\nname: found x y, allowed: no spaces");
}

}  // namespace
}  // namespace evalfleet::config
