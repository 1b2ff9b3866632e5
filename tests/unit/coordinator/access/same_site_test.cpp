#include "coordinator/access/same_site.hpp"

#include <gtest/gtest.h>

namespace evalfleet::access {
namespace {

TEST(SameSite, PassesProgramsAndOurOwnPages) {
    EXPECT_FALSE(is_from_another_site({{"Host", "127.0.0.1:80"}}));
    EXPECT_FALSE(is_from_another_site({{"Host", "ef.example"}, {"Origin", "https://ef.example"}}));
    EXPECT_FALSE(is_from_another_site({{"Host", "ef.example"}, {"Sec-Fetch-Site", "same-origin"}}));
    EXPECT_FALSE(is_from_another_site({{"Host", "ef.example"}, {"Sec-Fetch-Site", "none"}}));
}

TEST(SameSite, TellsWhatComesFromElsewhere) {
    EXPECT_TRUE(is_from_another_site({{"Host", "ef.example"}, {"Origin", "https://evil.example"}}));
    EXPECT_TRUE(is_from_another_site({{"Host", "ef.example"}, {"Origin", "null"}}));
    EXPECT_TRUE(
        is_from_another_site({{"Host", "ef.example:1"}, {"Origin", "http://ef.example:2"}}));
    EXPECT_TRUE(is_from_another_site({{"Host", "ef.example"}, {"Sec-Fetch-Site", "cross-site"}}));
    EXPECT_TRUE(is_from_another_site({{"Origin", "https://ef.example"}}));
}

TEST(SameSite, KnowsTheNamesOfThisMachine) {
    for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.8.9.1", "[::1]:80"})
        EXPECT_TRUE(is_for_loopback({{"Host", host}})) << host;
    for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80",
                             "10.0.0.1", "[::2]:80", ""})
        EXPECT_FALSE(is_for_loopback({{"Host", host}})) << host;
    EXPECT_FALSE(is_for_loopback({}));
}

}  // namespace
}  // namespace evalfleet::access
