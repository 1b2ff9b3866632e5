#include "coordinator/runs/pool_watch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::runs {
namespace {

constexpr std::string_view kInfo =
    "# Memory\r\n"
    "used_memory:1048576\r\n"
    "used_memory_human:1.00M\r\n"
    "used_memory_rss:8912896\r\n"
    "used_memory_peak:2097152\r\n"
    "total_system_memory:16777216000\r\n"
    "maxmemory:4194304\r\n"
    "maxmemory_human:4.00M\r\n"
    "maxmemory_policy:noeviction\r\n"
    "mem_fragmentation_ratio:8.50\r\n";

std::string with(std::string_view from, std::string_view to) {
    std::string info(kInfo);
    const auto at = info.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return info.replace(at, from.size(), to);
}

TEST(MemoryInfo, IsReadOutOfTheTextOfRedis) {
    const auto memory = parse_memory_info(kInfo);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->used_bytes, 1'048'576u);
    EXPECT_EQ(memory->max_bytes, 4'194'304u);
}

TEST(MemoryInfo, IsNotMistakenForItsNeighbours) {
    EXPECT_FALSE(parse_memory_info(with("used_memory:1048576\r\n", "")));
    EXPECT_FALSE(parse_memory_info(with("maxmemory:4194304\r\n", "")));
}

TEST(MemoryInfo, ThatIsGarbledIsNone) {
    for (const std::string& info :
         {std::string(), std::string("ERR"), std::string("\r\nused_memory:"), with("1048576", "-1"),
          with("1048576", "1.5"), with("1048576", "many"), with("1048576", ""),
          with("4194304", "4194304 "), with("4194304", "99999999999999999999999")})
        EXPECT_FALSE(parse_memory_info(info)) << info;
}

TEST(MemoryInfo, MayEndAfterItsLastNumber) {
    const auto memory = parse_memory_info("\r\nused_memory:7\r\nmaxmemory:10");
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->max_bytes, 10u);
}

TEST(EvictionWatch, SaysNothingOfARedisThatRefusesRatherThanForgets) {
    EvictionWatch watch;
    EXPECT_EQ(watch.observe(kInfo), std::nullopt);
}

TEST(EvictionWatch, NamesAnyOtherPolicyOnce) {
    const std::string evicting = with("noeviction", "allkeys-lru");
    EvictionWatch watch;
    EXPECT_EQ(watch.observe(evicting), "allkeys-lru");
    EXPECT_EQ(watch.observe(evicting), std::nullopt);
}

TEST(EvictionWatch, NamesAPolicyAgainThatWasSetRightInBetween) {
    const std::string evicting = with("noeviction", "volatile-ttl");
    EvictionWatch watch;
    EXPECT_EQ(watch.observe(evicting), "volatile-ttl");
    EXPECT_EQ(watch.observe(kInfo), std::nullopt);
    EXPECT_EQ(watch.observe(evicting), "volatile-ttl");
}

TEST(EvictionWatch, SaysNothingWhereRedisDoesNot) {
    EvictionWatch watch;
    EXPECT_EQ(watch.observe(""), std::nullopt);
    EXPECT_EQ(watch.observe(with("maxmemory_policy:noeviction\r\n", "")), std::nullopt);
    EXPECT_EQ(watch.observe(with("noeviction", "")), std::nullopt);
}

TEST(MemoryFull, BeginsAtSeventyPercent) {
    EXPECT_FALSE(is_memory_full({699, 1000}, false));
    EXPECT_TRUE(is_memory_full({700, 1000}, false));
    EXPECT_TRUE(is_memory_full({1500, 1000}, false));
}

TEST(MemoryFull, EndsBelowSixtyFivePercent) {
    EXPECT_TRUE(is_memory_full({699, 1000}, true));
    EXPECT_TRUE(is_memory_full({650, 1000}, true));
    EXPECT_FALSE(is_memory_full({649, 1000}, true));
}

TEST(MemoryFull, IsNeverWithoutALimit) {
    EXPECT_FALSE(is_memory_full({1'000'000'000'000, 0}, false));
    EXPECT_FALSE(is_memory_full({1'000'000'000'000, 0}, true));
}

}  // namespace
}  // namespace evalfleet::runs
