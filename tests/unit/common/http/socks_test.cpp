#include "common/http/socks.hpp"

#include <gtest/gtest.h>

namespace evalfleet::http::socks {
namespace {

using namespace std::string_literals;

TEST(Socks, OffersAPasswordOnlyIfThereIsOne) {
    EXPECT_EQ(greeting(false), "\x05\x01\x00"s);
    EXPECT_EQ(greeting(true), "\x05\x02\x00\x02"s);
    EXPECT_EQ(login({"me", "pw"}), "\x01\x02me\x02pw"s);
    EXPECT_TRUE(check({std::string(255, 'u'), ""}));
    EXPECT_FALSE(check({std::string(256, 'u'), ""}));
}

TEST(Socks, ReadsWhatTheProxyWants) {
    EXPECT_FALSE(read_choice("\x05\x00"s).value());
    EXPECT_TRUE(read_choice("\x05\x02"s).value());
    EXPECT_EQ(read_choice("\x05\xFF"s).error().kind, ErrorKind::denied);
    EXPECT_EQ(read_choice("HT"s).error().kind, ErrorKind::invalid);
    EXPECT_TRUE(read_login("\x01\x00"s));
    EXPECT_EQ(read_login("\x01\x01"s).error().kind, ErrorKind::denied);
}

TEST(Socks, AsksForNamesAndAddresses) {
    EXPECT_EQ(request("a.test", 443).value(), "\x05\x01\x00\x03\x06"s + "a.test" + "\x01\xBB"s);
    EXPECT_EQ(request("10.0.0.1", 80).value(), "\x05\x01\x00\x01\x0A\x00\x00\x01\x00\x50"s);
    EXPECT_EQ(request("::1", 80).value(),
              "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s);
    EXPECT_FALSE(request(std::string(256, 'a'), 80));
}

TEST(Socks, ReadsHowLongAReplyIs) {
    EXPECT_EQ(read_reply("\x05\x00\x00\x01\x0A"s).value(), 5U);
    EXPECT_EQ(read_reply("\x05\x00\x00\x04\x00"s).value(), 17U);
    EXPECT_EQ(read_reply("\x05\x00\x00\x03\x06"s).value(), 8U);
    EXPECT_EQ(read_reply("\x05\x02\x00\x01\x00"s).error().kind, ErrorKind::denied);
    EXPECT_EQ(read_reply("\x05\x05\x00\x01\x00"s).error().kind, ErrorKind::transient);
    EXPECT_EQ(read_reply("\x05\xEE\x00\x01\x00"s).error().kind, ErrorKind::transient);
    EXPECT_EQ(read_reply("\x05\x00\x00\x09\x00"s).error().kind, ErrorKind::invalid);
    EXPECT_EQ(read_reply("HTTP/"s).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace evalfleet::http::socks
